import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileRules } from "./compile.js";
import { decide } from "./decide.js";
import type { ToolRule } from "./options.js";

const tool = (id: string): { server: string; name: string } => {
  const [server = "", ...name] = id.split(":");
  return { server, name: name.join(":") };
};
const on = (...pattern: string[]): ToolRule => ({ pattern, enabled: true });
const off = (...pattern: string[]): ToolRule => ({ pattern, enabled: false });

const onlyIssuesAndReading: ToolRule[] = [
  { server: "github", pattern: ["*issue*"], enabled: true, tags: ["github", "issues"] },
  { server: "filesystem", pattern: ["*read*", "*list*"], enabled: true, tags: ["filesystem", "safe"] },
  { pattern: ["*delete*", "*remove*", "*rm*"], enabled: false, tags: ["dangerous"] },
];
const allButDangerous: ToolRule[] = [on("*"), off("*delete*", "*destroy*")];
const byRegex: ToolRule[] = [
  { server: "github", pattern: ["/^(create|update)_/"], enabled: true, tags: ["github", "write"] },
  { server: "filesystem", pattern: ["/\\b(read|list|get)\\b/i"], enabled: true, tags: ["filesystem", "read"] },
  { pattern: ["/(delete|remove|destroy)/i"], enabled: false, tags: ["dangerous"] },
];

describe("decide", () => {
  it.each<[string, ToolRule[], string, boolean]>([
    ["no rules enable everything", [], "github:create_issue", true],
    ["example 1: * enables everything", [on("*")], "github:create_issue", true],
    ["example 2: an issue tool of github is enabled", onlyIssuesAndReading, "github:create_issue", true],
    ["example 2: another tool of github is not", onlyIssuesAndReading, "github:create_pr", false],
    ["example 2: reading files is enabled", onlyIssuesAndReading, "filesystem:read_file", true],
    ["example 2: writing files is not", onlyIssuesAndReading, "filesystem:write_file", false],
    ["example 2: deleting is disabled by its rule", onlyIssuesAndReading, "filesystem:delete_file", false],
    ["example 2: an earlier enabling rule wins over deleting", onlyIssuesAndReading, "github:delete_issue", true],
    ["example 2: an issue tool elsewhere is not enabled", onlyIssuesAndReading, "gitlab:create_issue", false],
    ["example 3: the early * defeats the later disabling rule", allButDangerous, "fs:delete_file", true],
    ["example 3: the rest is enabled", allButDangerous, "fs:read_file", true],
    ["example 4: creating is enabled on github", byRegex, "github:create_issue", true],
    ["example 4: the regex is anchored where it says so", byRegex, "github:recreate_issue", false],
    ["example 4: a word boundary is none before _", byRegex, "filesystem:read_file", false],
    ["example 4: a word boundary is one before -", byRegex, "filesystem:READ-file", true],
    ["example 4: disabling ignores case as its flag says", byRegex, "db:DestroyTable", false],
    ["the order a disabling rule first works", [off("*delete*"), on("*")], "fs:delete_file", false],
    ["the order a disabling rule first leaves the rest", [off("*delete*"), on("*")], "fs:read_file", true],

    [
      "a later ! excludes although an earlier pattern matches",
      [on("*github*", "!*delete*")],
      "github:delete_repo",
      false,
    ],
    ["an earlier ! excludes as well", [on("!*delete*", "*github*")], "github:delete_repo", false],
    ["what no ! excludes stays matched", [on("*github*", "!*delete*")], "github:list_repos", true],
    ["all exclusions count", [on("*", "!*a*", "!*b*")], "s:xbx", false],
    ["a ! in front of a regex excludes", [on("*", "!/^delete/")], "fs:delete_file", false],
    ["a ! in front of a regex with flags excludes", [on("*", "!/^DELETE/i")], "fs:delete_file", false],
    ["only exclusions mean everything but these, inside", [off("!*read*")], "fs:write_file", false],
    ["only exclusions mean everything but these, outside", [off("!*read*")], "fs:read_file", true],
    ["only exclusions with enabled leave the excluded undecided", [on("!*delete*")], "fs:delete_file", false],
    ["only exclusions with enabled enable the rest", [on("!*delete*")], "fs:read_file", true],
    ["an exclusion is tried on the id too", [on("*", "!fs:*")], "fs:read_file", false],
    ["an exclusion on the id leaves others", [on("*", "!fs:*")], "db:read_file", true],

    ["flags after the slash count", [off("/GITHUB/i")], "github:create_issue", false],
    ["without the flag case counts", [off("/GITHUB/")], "github:create_issue", true],
    ["the flag g changes nothing", [off("/issue/g")], "github:create_issue", false],
    ["the flag y changes nothing", [off("/issue/y")], "github:create_issue", false],
    ["a regex matches anywhere", [off("/ssu/")], "github:create_issue", false],
    ["a regex with alternatives", [off("/^fs_(read|write)$/")], "any:fs_write", false],
    ["a regex that ends too early", [off("/^fs_(read|write)$/")], "any:fs_writer", true],

    ["the first match sticks although it equals the default", [on("read_*"), off("*")], "fs:read_file", true],
    ["a first match equal to the default of an allow-list sticks", [off("read_*"), on("*")], "fs:read_file", false],
    ["a rule without enabled does not decide", [{ pattern: ["*"], tags: ["x"] }, off("*")], "fs:read_file", false],
    ["a rule without enabled makes no allow-list", [{ pattern: ["x"], tags: ["x"] }], "fs:read_file", true],
    ["one enabled rule anywhere makes an allow-list", [off("a"), on("b")], "s:c", false],
    ["an allow-list whose rule matches nothing disables all", [on("nothing")], "s:c", false],
    ["disabled rules alone make no allow-list", [off("a"), off("b")], "s:c", true],

    ["a pattern is tried on the name", [off("create_issue")], "github:create_issue", false],
    ["a pattern is tried on the id", [off("github:create_issue")], "github:create_issue", false],
    ["a glob on the id", [off("github:*")], "github:create_issue", false],
    ["a pattern finds the server's name through the id", [off("*github*")], "github:create_issue", false],
    ["a glob is anchored on both", [off("issue")], "github:create_issue", true],
    ["the server's name alone is not the id", [off("github")], "github:create_issue", true],
    ["a regex on the id", [off("/^github:create/")], "github:create_issue", false],
    ["with server, the id is not tried", [{ server: "github", ...off("github:*") }], "github:create_issue", true],
    ["with server, its name is not found in the id", [{ server: "github", ...off("*hub*") }], "github:x", true],
    ["with server, a regex sees the name only", [{ server: "github", ...off("/hub/") }], "github:x", true],
    ["with server, an exclusion sees the name only", [{ server: "fs", ...off("*", "!fs:*") }], "fs:read", false],

    ["a rule of another server does not apply", [{ server: "github", ...off("*") }], "gitlab:x", true],
    ["a rule of the server applies", [{ server: "github", ...off("*") }], "github:x", false],
    ["server is compared without case", [{ server: "GitHub", ...off("*") }], "github:x", false],
    ["server may be a glob", [{ server: "git*", ...off("*") }], "gitlab:x", false],
    ["server may have alternatives", [{ server: "{github,gitlab}", ...off("*") }], "gitlab:x", false],
    ["server is compared as a whole", [{ server: "git", ...off("*") }], "github:x", true],
    [
      "server may be the exact name though it has special characters",
      [{ server: "a[1]", ...off("*") }],
      "a[1]:x",
      false,
    ],

    ["globs ignore case", [off("*DELETE*")], "fs:delete_file", false],
    ["globs ignore the case of the name", [off("*delete*")], "fs:DeleteFile", false],
    ["* crosses slashes", [off("repos*delete")], "gh:repos/owner/delete", false],
    ["* matches a leading dot", [off("*secret")], "fs:.secret", false],
    ["* crosses colons", [off("a*z")], "s:a:b:z", false],
    ["full-width letters do not escape a glob", [off("*delete*")], "fs:ｄｅｌｅｔｅ", false],
    ["a set", [off("get_[ab]")], "s:get_b", false],
    ["a question mark", [off("get_?")], "s:get_bb", true],
    ["an escaped star is a star", [off("get_\\*")], "s:get_x", true],
    ["an escaped exclamation mark is one", [off("\\!x")], "s:!x", false],
  ])("%s", async (_, rules, id, enabled) => {
    expect(decide(await compileRules(rules), tool(id)).enabled).toBe(enabled);
  });

  it.each<[string, ToolRule[], string, string[]]>([
    [
      "tags come from all rules that apply, in order",
      [
        { pattern: ["*issue*"], tags: ["issues"] },
        { pattern: ["github:*"], tags: ["github"] },
      ],
      "github:create_issue",
      ["issues", "github"],
    ],
    [
      "tags are not repeated",
      [
        { pattern: ["*"], tags: ["a", "b", "a"] },
        { pattern: ["*"], tags: ["b", "c"] },
      ],
      "s:t",
      ["a", "b", "c"],
    ],
    [
      "rules after the deciding one still add theirs",
      [
        { pattern: ["*"], enabled: true, tags: ["first"] },
        { pattern: ["*delete*"], enabled: false, tags: ["dangerous"] },
      ],
      "fs:delete_file",
      ["first", "dangerous"],
    ],
    ["rules that do not apply add none", [{ pattern: ["*", "!*x*"], tags: ["t"] }], "s:x", []],
  ])("%s", async (_, rules, id, tags) => {
    expect(decide(await compileRules(rules), tool(id)).tags).toEqual(tags);
  });

  it("names the deciding rule and all that apply", async () => {
    const rules = await compileRules([{ pattern: ["*"], tags: ["all"] }, off("x"), on("*a*"), off("*a*")]);
    expect(decide(rules, tool("s:cat"))).toEqual({ enabled: true, tags: ["all"], decidedBy: 2, applied: [0, 2, 3] });
    expect(decide(rules, tool("s:dog"))).toEqual({ enabled: false, tags: ["all"], decidedBy: undefined, applied: [0] });
  });

  it("gives the same answer every time", async () => {
    const rules = await compileRules([off("/a+/gy", "*{x,y}*")]);
    const answers = new Set(Array.from({ length: 10_000 }, () => decide(rules, tool("s:baab")).enabled));
    expect([...answers]).toEqual([false]);
  });

  it("applies a rule exactly when one of its patterns by itself would", async () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "_", "é"), minLength: 1, maxLength: 6 });
    const glob = fc
      .tuple(fc.boolean(), word, fc.boolean())
      .map(([open, text, end]) => `${open ? "*" : ""}${text}${end ? "*" : ""}`);
    await fc.assert(
      fc.asyncProperty(fc.array(glob, { minLength: 1, maxLength: 4 }), word, word, async (patterns, server, name) => {
        const together = decide(await compileRules([off(...patterns)]), { server, name });
        const each = await Promise.all(patterns.map((pattern) => compileRules([off(pattern)])));
        const alone = each.map((rules) => decide(rules, { server, name }));
        expect(together.enabled).toBe(alone.every((decision) => decision.enabled));
      }),
    );
  });

  it("decides 1,000 tools under 10,000 rules in bounded time", async () => {
    const rules = await compileRules(
      Array.from({ length: 10_000 }, (_, index) => off(`*tool_${index}*`, `server-${index}:*`)),
    );
    const start = performance.now();
    const disabled = Array.from({ length: 1_000 }, (_, index) => decide(rules, { server: "s", name: `tool_${index}` }));
    expect(disabled.every((decision) => !decision.enabled)).toBe(true);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
