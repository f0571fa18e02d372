import { describe, expect, it } from "vitest";
import { expectLinear } from "../../test/support/cost.js";
import { EVIL_PATTERNS } from "../../test/support/evil-patterns.js";
import { compileRegex } from "./regex.js";

describe("compileRegex", () => {
  it.each([
    ["issue", "", "list_issues", true],
    ["issue", "", "LIST_ISSUES", false],
    ["issue", "i", "LIST_ISSUES", true],
    ["^fs_(read|write)$", "", "fs_read", true],
    ["^fs_(read|write)$", "", "fs_reads", false],
    ["\\b(create|update)\\b", "", "create issue", true],
    ["\\b(create|update)\\b", "", "create_issue", false],
    ["^b$", "m", "a\nb", true],
    ["^b$", "", "a\nb", false],
    ["a.b", "s", "a\nb", true],
    ["a.b", "", "a\nb", false],
    ["(?<verb>get|set)_", "", "get_x", true],
    ["a\\/b", "", "a/b", true],
    ["\\u0041", "", "A", true],
    ["^\\d+$", "u", "123", true],
    ["a\\\\k<n>", "", "a\\k<n>", true],
  ])("matches /%s/%s against %j: %j", (source, flags, text, expected) => {
    expect(compileRegex(source, flags).test(text)).toBe(expected);
  });

  it.each([
    ["(?=a)b", "", "uses lookahead or lookbehind, which RE2 does not support"],
    ["(?!a)b", "", "uses lookahead or lookbehind, which RE2 does not support"],
    ["(?<=a)b", "", "uses lookahead or lookbehind, which RE2 does not support"],
    ["(?<!a)b", "", "uses lookahead or lookbehind, which RE2 does not support"],
    ["(a)\\1", "", "uses a backreference, which RE2 does not support"],
    ["(?<n>a)\\k<n>", "", "uses a backreference, which RE2 does not support"],
    ["(", "", "is not valid RE2 syntax (missing closing ): `(`)"],
    ["a{1000}{1000}", "", "is not valid RE2 syntax (invalid nested repetition operator: `{1000}{1000}`)"],
    ["(a{100}){100}", "", "is not valid RE2 syntax (invalid repeat count: `{100}`)"],
    ["a{999}", "", "is too large after its repetitions are expanded"],
    ["", "", "is empty"],
    ["a", "x", 'has the unknown flag "x"'],
    ["users", "list", 'has the unknown flag "l"'],
  ])("rejects /%s/%s", (source, flags, reason) => {
    expect(() => compileRegex(source, flags)).toThrow(
      expect.objectContaining({
        code: "CONFIGURATION_ERROR",
        message: `The regex /${source}/${flags} ${reason}.`,
        hint: expect.stringContaining("RE2 syntax"),
      }),
    );
  });

  it.each(["g", "y", "gy"])("gives the same answer every time with the flags %s", (flags) => {
    const regex = compileRegex("a+", flags);
    const answers = new Set(Array.from({ length: 10_000 }, () => regex.test("baab")));
    expect([...answers]).toEqual([true]);
  });

  // A backtracking engine takes exponential time: 24 characters are enough to detect it, and few enough to finish.
  it.each(EVIL_PATTERNS)("matches the hostile pattern /%s/ in linear time", async (source) => {
    const regex = compileRegex(source, "");
    await expectLinear((length) => {
      const names = Array.from({ length: 100 }, (_, index) => `${"a".repeat(length)}_${index}`);
      return () => names.map((name) => regex.test(name));
    }, 3);
  });
});
