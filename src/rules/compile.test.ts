import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
import { compileRules } from "./compile.js";
import type { NormalizedToolRule } from "./options.js";

async function rejection(rules: readonly NormalizedToolRule[]): Promise<DiscoveryError> {
  try {
    await compileRules(rules);
  } catch (error) {
    if (error instanceof DiscoveryError) return error;
  }
  throw new Error("The rules were accepted.");
}

describe("compileRules", () => {
  it("rejects all rules if one does not compile", async () => {
    const error = await rejection([{ pattern: ["*"] }, { pattern: ["/(?=a)/"], enabled: false }]);
    expect(error.code).toBe("CONFIGURATION_ERROR");
    expect(error.message).toBe(
      "A pattern of toolRules is invalid: rule 2: The regex /(?=a)/ uses lookahead or lookbehind, which RE2 does not support.",
    );
  });

  it("reports every invalid pattern at once, including those for servers", async () => {
    const error = await rejection([
      { pattern: ["[a", "ok", "{b"] },
      { pattern: ["fine"], server: "[" },
      { pattern: ["!"] },
    ]);
    expect(error.facts.problems).toEqual([
      { rule: 1, pattern: "[a", reason: 'The glob "[a" has an unclosed "[".' },
      { rule: 1, pattern: "{b", reason: 'The glob "{b" has an unclosed "{".' },
      { rule: 2, pattern: "[", reason: 'The glob "[" has an unclosed "[".' },
      { rule: 3, pattern: "!", reason: 'The glob "" is empty.' },
    ]);
    expect(error.message).toMatch(/^4 patterns of toolRules are invalid: rule 1: .*; rule 3: .*\.$/u);
  });

  it("limits the length of the message when many patterns are invalid", async () => {
    const error = await rejection(Array.from({ length: 500 }, () => ({ pattern: ["["] })));
    expect(error.message).toMatch(/; and 490 more\.$/u);
    expect(error.facts.problems).toHaveLength(500);
  });

  it.each([
    [[], undefined],
    [[{ pattern: ["a"], enabled: false }], undefined],
    [[{ pattern: ["a"] }, { pattern: ["b"], enabled: true }, { pattern: ["c"], enabled: true }], 1],
  ])("finds the rule that makes an allow-list of %j", async (rules, index) => {
    expect((await compileRules(rules)).allowList).toBe(index);
  });
});
