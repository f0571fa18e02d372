import { describe, expect, it } from "vitest";
import { compileRules } from "./compile.js";
import { type RuleWarning, findIneffectiveRules } from "./lint.js";
import type { NormalizedToolRule } from "./options.js";

const tools = [
  { server: "fs", name: "read_file" },
  { server: "fs", name: "delete_file" },
  { server: "db", name: "query" },
];

describe("findIneffectiveRules", () => {
  it.each<[string, NormalizedToolRule[], RuleWarning[]]>([
    [
      "names a rule that an earlier * overrides, with an example tool",
      [
        { pattern: ["*"], enabled: true },
        { pattern: ["*delete*"], enabled: false },
      ],
      [
        {
          rule: 1,
          kind: "never-decides",
          message:
            "Rule 2 (*delete* → disabled) never takes effect: for fs:delete_file, for example, rule 1 (* → enabled) decides first.",
          tool: "fs:delete_file",
          defeatedBy: 0,
        },
      ],
    ],
    [
      "also warns if the earlier rule has the same effect or if tags are still added",
      [
        { pattern: ["*file"], enabled: false },
        { pattern: ["fs:*"], enabled: false, tags: ["files"] },
      ],
      [
        {
          rule: 1,
          kind: "never-decides",
          message:
            "Rule 2 (fs:* → disabled, tags: [files]) never takes effect: for fs:read_file, for example, rule 1 (*file → disabled) decides first.",
          tool: "fs:read_file",
          defeatedBy: 0,
        },
      ],
    ],
    [
      "prefers an example tool on which the rules disagree",
      [
        { pattern: ["read*"], enabled: false },
        { pattern: ["delete*"], enabled: true },
        { pattern: ["*file"], enabled: false },
        { pattern: ["db:*"], enabled: true },
      ],
      [
        {
          rule: 2,
          kind: "never-decides",
          message:
            "Rule 3 (*file → disabled) never takes effect: for fs:delete_file, for example, rule 2 (delete* → enabled) decides first.",
          tool: "fs:delete_file",
          defeatedBy: 1,
        },
      ],
    ],
    [
      "names a rule that matches no tool",
      [{ pattern: ["*"], server: "github", enabled: true }],
      [
        {
          rule: 0,
          kind: "matches-nothing",
          message:
            "Rule 1 (server github: * → enabled) matches no tool, but it makes the rules an allow-list: 3 tools that no rule decides are disabled.",
        },
      ],
    ],
    [
      "states that a rule without effect still creates an allow-list",
      [
        { pattern: ["*file"], enabled: false },
        { pattern: ["read*"], enabled: true },
      ],
      [
        {
          rule: 1,
          kind: "never-decides",
          message:
            "Rule 2 (read* → enabled) never takes effect: for fs:read_file, for example, rule 1 (*file → disabled) decides first, but it makes the rules an allow-list: 1 tool that no rule decides is disabled.",
          tool: "fs:read_file",
          defeatedBy: 0,
        },
      ],
    ],
    [
      "omits the allow-list if another rule creates it",
      [
        { pattern: ["read*"], enabled: true },
        { pattern: ["none"], enabled: true },
        { pattern: ["nought"], enabled: false },
      ],
      [
        { rule: 1, kind: "matches-nothing", message: "Rule 2 (none → enabled) matches no tool." },
        { rule: 2, kind: "matches-nothing", message: "Rule 3 (nought → disabled) matches no tool." },
      ],
    ],
    [
      "omits the allow-list if a rule decides every tool",
      [
        { pattern: ["*"], enabled: false },
        { pattern: ["none"], enabled: true },
      ],
      [{ rule: 1, kind: "matches-nothing", message: "Rule 2 (none → enabled) matches no tool." }],
    ],
    [
      "names a rule that sets nothing",
      [{ pattern: ["*"] }],
      [
        {
          rule: 0,
          kind: "never-decides",
          message: 'Rule 1 (* → nothing) has no effect: it sets neither "enabled" nor "tags".',
        },
      ],
    ],
    [
      "does not warn about a rule that decides one tool and is overridden on another",
      [
        { pattern: ["*delete*"], enabled: false },
        { pattern: ["*"], enabled: true },
      ],
      [],
    ],
    ["does not warn about a rule that only adds tags", [{ pattern: ["*"], tags: ["all"] }], []],
  ])("%s", async (_, rules, warnings) => {
    expect(findIneffectiveRules(await compileRules(rules), tools)).toEqual(warnings);
  });

  it("reports nothing when no tool is known yet", async () => {
    expect(findIneffectiveRules(await compileRules([{ pattern: ["x"], enabled: true }]), [])).toEqual([]);
  });
});
