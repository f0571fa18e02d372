import { describe, expect, it } from "vitest";
import { compileRules } from "./compile.js";
import { decideRules } from "./decide.js";
import { describeRule, explain } from "./explain.js";
import type { NormalizedToolRule } from "./options.js";

describe("describeRule", () => {
  it.each<[NormalizedToolRule, string]>([
    [
      { pattern: ["*github*", "/issue/"], enabled: true, tags: ["github", "issues"] },
      "*github*, /issue/ → enabled, tags: [github, issues]",
    ],
    [{ pattern: ["*delete*"], enabled: false }, "*delete* → disabled"],
    [{ pattern: ["*"], tags: ["all"] }, "* → tags: [all]"],
    [{ pattern: ["*"], server: "github", enabled: true }, "server github: * → enabled"],
    [{ pattern: ["x"], tags: [] }, "x → nothing"],
  ])("%j", (rule, text) => {
    expect(describeRule(rule)).toBe(text);
  });
});

describe("explain", () => {
  it.each<[NormalizedToolRule[], string]>([
    [[{ pattern: ["x"] }, { pattern: ["*delete*", "*rm*"], enabled: false }], "rule 2 (*delete*, *rm* → disabled)"],
    [[{ pattern: ["x"], enabled: false }], "no rule decides; enabled by default"],
    [[{ pattern: ["x"], enabled: true }], "no rule decides; disabled because rule 1 makes the rules an allow-list"],
  ])("%j", async (rules, text) => {
    const compiled = await compileRules(rules);
    expect(explain(compiled, decideRules(compiled, { server: "fs", name: "delete_file" }))).toBe(text);
  });
});
