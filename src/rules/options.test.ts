import { describe, expect, it } from "vitest";
import { findBadPatterns, toolRulesOptions } from "./options.js";

const firstMessage = (input: unknown): string | undefined =>
  toolRulesOptions.safeParse(input).error?.issues[0]?.message;

describe("toolRules", () => {
  it.each([
    ["a single pattern becomes a list", [{ pattern: "*x*" }], [{ pattern: ["*x*"] }]],
    ["a list stays a list", [{ pattern: ["a", "!b"], enabled: true }], [{ pattern: ["a", "!b"], enabled: true }]],
    ["a rule with a server needs no pattern", [{ server: "github" }], [{ server: "github", pattern: ["*"] }]],
    ["no rules are the default", undefined, []],
  ])("%s", (_, input, output) => {
    expect(toolRulesOptions.parse(input)).toEqual(output);
  });

  it.each([
    ["a misspelt key", [{ pattern: "*", enable: true }], 'Unrecognized key: "enable"'],
    ["neither pattern nor server", [{ enabled: true }], "A rule without `server` needs a `pattern`."],
    ["an empty list of patterns", [{ pattern: [] }], "A rule needs at least one pattern."],
    ["an empty pattern", [{ pattern: "" }], "A pattern must not be empty."],
    [
      "a pattern over 512 characters",
      [{ pattern: "x".repeat(513) }],
      "A pattern must not have more than 512 characters.",
    ],
    ["a pattern that is a number", [{ pattern: 5 }], "Expected a pattern or a list of patterns."],
    [
      "a tag over 64 characters",
      [{ pattern: "*", tags: ["x".repeat(65)] }],
      "A tag must not have more than 64 characters.",
    ],
    [
      "more than 10,000 rules",
      Array.from({ length: 10_001 }, () => ({ pattern: "*" })),
      "There must not be more than 10000 rules.",
    ],
  ])("rejects %s", (_, input, message) => {
    expect(firstMessage(input)).toBe(message);
  });
});

describe("findBadPatterns", () => {
  it("finds all patterns that do not compile, with their paths", async () => {
    const rules = [
      { pattern: "[a" },
      { pattern: ["ok", "!{b", "/(?=a)/"], server: "[" },
      { pattern: "/x/q", enabled: "maybe" },
      { pattern: "!" },
    ];
    expect(await findBadPatterns(rules)).toEqual([
      { path: [0, "pattern"], reason: 'The glob "[a" has an unclosed "[".' },
      { path: [1, "pattern", 1], reason: 'The glob "{b" has an unclosed "{".' },
      {
        path: [1, "pattern", 2],
        reason: "The regex /(?=a)/ uses lookahead or lookbehind, which RE2 does not support.",
      },
      { path: [1, "server"], reason: 'The glob "[" has an unclosed "[".' },
      { path: [2, "pattern"], reason: 'The regex /x/q has the unknown flag "q".' },
      { path: [3, "pattern"], reason: 'The glob "" is empty.' },
    ]);
  });

  it.each([
    [undefined],
    [null],
    ["[a"],
    [[5, null, "[a", { pattern: 5 }, { pattern: ["", 5, "x".repeat(513)] }]],
    [[{ server: "/no regex", pattern: ["*", "/a+/i"] }]],
  ])("skips values that the schema rejects: %j", async (rules) => {
    expect(await findBadPatterns(rules)).toEqual([]);
  });
});
