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
      "says that a rule which is always defeated still makes an allow-list",
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
      "leaves the allow-list alone when another rule is meant to make it",
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
      "leaves the allow-list alone when every tool is decided",
      [
        { pattern: ["*"], enabled: false },
        { pattern: ["none"], enabled: true },
      ],
      [{ rule: 1, kind: "matches-nothing", message: "Rule 2 (none → enabled) matches no tool." }],
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
  ])("%s", async (_, rules, warnings) => {
    expect(findIneffectiveRules(await compileRules(rules), tools)).toEqual(warnings);
  });

  it("says nothing when no tool is known yet", async () => {
    expect(findIneffectiveRules(await compileRules([{ pattern: ["x"], enabled: true }]), [])).toEqual([]);
  });
});
