import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
import { compileRules } from "./compile.js";
import type { ToolRule } from "./options.js";

async function refusal(rules: readonly ToolRule[]): Promise<DiscoveryError> {
  try {
    await compileRules(rules);
  } catch (error) {
    if (error instanceof DiscoveryError) return error;
  }
  throw new Error("The rules were accepted.");
}

describe("compileRules", () => {
  it("refuses all rules when one does not compile, whatever it says", async () => {
    const error = await refusal([{ pattern: ["*"] }, { pattern: ["/(?=a)/"], enabled: false }]);
    expect(error.code).toBe("CONFIGURATION_ERROR");
    expect(error.message).toBe(
      "A pattern of toolRules cannot be used: rule 2: The regex /(?=a)/ looks ahead or behind, which RE2 does not support.",
    );
  });

  it("reports every bad pattern at once, servers included", async () => {
    const error = await refusal([
      { pattern: ["[a", "ok", "{b"] },
      { pattern: ["fine"], server: "[" },
      { pattern: ["!"] },
    ]);
    expect(error.facts.problems).toEqual([
      { rule: 1, pattern: "[a", reason: 'The glob "[a" has a "[" that is never closed.' },
      { rule: 1, pattern: "{b", reason: 'The glob "{b" has a "{" that is never closed.' },
      { rule: 2, pattern: "[", reason: 'The glob "[" has a "[" that is never closed.' },
      { rule: 3, pattern: "!", reason: 'The glob "" is empty.' },
    ]);
    expect(error.message).toMatch(/^4 patterns of toolRules cannot be used: rule 1: .*; rule 3: .*\.$/u);
  });

  it("keeps the message short when very many are bad", async () => {
    const error = await refusal(Array.from({ length: 500 }, () => ({ pattern: ["["] })));
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
