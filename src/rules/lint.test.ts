import { describe, expect, it } from "vitest";
import { compileRules } from "./compile.js";
import { type RuleWarning, findIneffectiveRules } from "./lint.js";
import type { ToolRule } from "./options.js";

const tools = [
  { server: "fs", name: "read_file" },
  { server: "fs", name: "delete_file" },
  { server: "db", name: "query" },
];

describe("findIneffectiveRules", () => {
  it.each<[string, ToolRule[], RuleWarning[]]>([
    [
      "names the rule that an early * defeats, with a tool it was meant for",
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
      "warns as well when the earlier rule says the same and when tags are still added",
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
      "prefers a tool about which the rules disagree",
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
      "names a rule that matches nothing",
      [{ pattern: ["*"], server: "github", enabled: true }],
      [{ rule: 0, kind: "matches-nothing", message: "Rule 1 (server github: * → enabled) matches no tool." }],
    ],
    [
      "names a rule that says nothing",
      [{ pattern: ["*"] }],
      [
        {
          rule: 0,
          kind: "never-decides",
          message: 'Rule 1 (* → nothing) has no effect: it says neither "enabled" nor "tags".',
        },
      ],
    ],
    [
      "is silent about a rule that decides one tool and is defeated on another",
      [
        { pattern: ["*delete*"], enabled: false },
        { pattern: ["*"], enabled: true },
      ],
      [],
    ],
    ["is silent about a rule that only tags", [{ pattern: ["*"], tags: ["all"] }], []],
  ])("%s", (_, rules, warnings) => {
    expect(findIneffectiveRules(compileRules(rules), tools)).toEqual(warnings);
  });

  it("says nothing when no tool is known yet", () => {
    expect(findIneffectiveRules(compileRules([{ pattern: ["x"], enabled: true }]), [])).toEqual([]);
  });
});
