import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectLinear } from "../../test/support/cost.js";
import { compileRules } from "./compile.js";
import { decideRules } from "./decide.js";
import type { NormalizedToolRule } from "./options.js";

const tool = (id: string): { server: string; name: string } => {
  const [server = "", ...name] = id.split(":");
  return { server, name: name.join(":") };
};
const on = (...pattern: string[]): NormalizedToolRule => ({ pattern, enabled: true });
const off = (...pattern: string[]): NormalizedToolRule => ({ pattern, enabled: false });

const onlyIssuesAndReading: NormalizedToolRule[] = [
  { server: "github", pattern: ["*issue*"], enabled: true, tags: ["github", "issues"] },
  { server: "filesystem", pattern: ["*read*", "*list*"], enabled: true, tags: ["filesystem", "safe"] },
  { pattern: ["*delete*", "*remove*", "*rm*"], enabled: false, tags: ["dangerous"] },
];
const allButDangerous: NormalizedToolRule[] = [on("*"), off("*delete*", "*destroy*")];
const byRegex: NormalizedToolRule[] = [
  { server: "github", pattern: ["/^(create|update)_/"], enabled: true, tags: ["github", "write"] },
  { server: "filesystem", pattern: ["/\\b(read|list|get)\\b/i"], enabled: true, tags: ["filesystem", "read"] },
  { pattern: ["/(delete|remove|destroy)/i"], enabled: false, tags: ["dangerous"] },
];

describe("decideRules", () => {
  it.each<[string, NormalizedToolRule[], string, boolean]>([
    ["no rules enable everything", [], "github:create_issue", true],
    ["example 1: * enables everything", [on("*")], "github:create_issue", true],
    ["example 2: an issue tool of github is enabled", onlyIssuesAndReading, "github:create_issue", true],
    ["example 2: another tool of github is not", onlyIssuesAndReading, "github:create_pr", false],
    ["example 2: reading files is enabled", onlyIssuesAndReading, "filesystem:read_file", true],
    ["example 2: writing files is not", onlyIssuesAndReading, "filesystem:write_file", false],
    ["example 2: deleting is disabled by its rule", onlyIssuesAndReading, "filesystem:delete_file", false],
    ["example 2: an earlier enabling rule wins over deleting", onlyIssuesAndReading, "github:delete_issue", true],
    ["example 2: an issue tool of another server is not enabled", onlyIssuesAndReading, "gitlab:create_issue", false],
    ["example 3: the early * overrides the later disabling rule", allButDangerous, "fs:delete_file", true],
    ["example 3: the rest is enabled", allButDangerous, "fs:read_file", true],
    ["example 4: creating is enabled on github", byRegex, "github:create_issue", true],
    ["example 4: the regex is anchored by ^", byRegex, "github:recreate_issue", false],
    ["example 4: _ is not a word boundary", byRegex, "filesystem:read_file", false],
    ["example 4: - is a word boundary", byRegex, "filesystem:READ-file", true],
    ["example 4: the flag i ignores case", byRegex, "db:DestroyTable", false],
    ["a disabling rule before * disables its tools", [off("*delete*"), on("*")], "fs:delete_file", false],
    ["a disabling rule before * leaves other tools enabled", [off("*delete*"), on("*")], "fs:read_file", true],

    [
      "a later ! excludes although an earlier pattern matches",
      [on("*github*", "!*delete*")],
      "github:delete_repo",
      false,
    ],
    ["an earlier ! excludes as well", [on("!*delete*", "*github*")], "github:delete_repo", false],
    ["tools that no ! excludes stay matched", [on("*github*", "!*delete*")], "github:list_repos", true],
    ["all exclusions count", [on("*", "!*a*", "!*b*")], "s:xbx", false],
    ["a ! in front of a regex excludes", [on("*", "!/^delete/")], "fs:delete_file", false],
    ["a ! in front of a regex with flags excludes", [on("*", "!/^DELETE/i")], "fs:delete_file", false],
    ["only exclusions match all other tools", [off("!*read*")], "fs:write_file", false],
    ["only exclusions do not match the excluded tools", [off("!*read*")], "fs:read_file", true],
    ["only exclusions with enabled leave the excluded undecided", [on("!*delete*")], "fs:delete_file", false],
    ["only exclusions with enabled enable the rest", [on("!*delete*")], "fs:read_file", true],
    ["an exclusion is matched against the id too", [on("*", "!fs:*")], "fs:read_file", false],
    ["an exclusion by id keeps tools of other servers", [on("*", "!fs:*")], "db:read_file", true],

    ["flags after the slash apply", [off("/GITHUB/i")], "github:create_issue", false],
    ["case does not matter without the flag either", [off("/GITHUB/")], "github:create_issue", false],
    ["a regex that depends on case still matches", [off("/[^A-Z]Issue/")], "github:createIssue", false],
    ["a regex with an accent matches the decomposed name", [off("/l\u00f6schen/")], "s:lo\u0308schen", false],
    ["a regex with a space matches a name with another space", [off("/^read\\s+file$/")], "s:read\u00a0file", false],
    ["the flag g changes nothing", [off("/issue/g")], "github:create_issue", false],
    ["the flag y changes nothing", [off("/issue/y")], "github:create_issue", false],
    ["a regex matches anywhere", [off("/ssu/")], "github:create_issue", false],
    ["a regex with alternatives matches", [off("/^fs_(read|write)$/")], "any:fs_write", false],
    ["a regex with $ does not match a longer name", [off("/^fs_(read|write)$/")], "any:fs_writer", true],

    ["the first match decides although it equals the default", [on("read_*"), off("*")], "fs:read_file", true],
    ["a first match equal to the default of an allow-list decides", [off("read_*"), on("*")], "fs:read_file", false],
    ["a rule without enabled does not decide", [{ pattern: ["*"], tags: ["x"] }, off("*")], "fs:read_file", false],
    ["a rule without enabled makes no allow-list", [{ pattern: ["x"], tags: ["x"] }], "fs:read_file", true],
    ["one enabled rule anywhere makes an allow-list", [off("a"), on("b")], "s:c", false],
    ["an allow-list whose rule matches nothing disables all", [on("nothing")], "s:c", false],
    ["disabled rules alone make no allow-list", [off("a"), off("b")], "s:c", true],

    ["a pattern is matched against the name", [off("create_issue")], "github:create_issue", false],
    ["a pattern is matched against the id", [off("github:create_issue")], "github:create_issue", false],
    ["a glob on the id", [off("github:*")], "github:create_issue", false],
    ["a pattern finds the server's name through the id", [off("*github*")], "github:create_issue", false],
    ["a glob is anchored on both", [off("issue")], "github:create_issue", true],
    ["the server's name alone is not the id", [off("github")], "github:create_issue", true],
    ["a regex on the id", [off("/^github:create/")], "github:create_issue", false],
    ["with server, the id is not matched", [{ server: "github", ...off("github:*") }], "github:create_issue", true],
    ["with server, its name is not found in the id", [{ server: "github", ...off("*hub*") }], "github:x", true],
    ["with server, a regex sees the name only", [{ server: "github", ...off("/hub/") }], "github:x", true],
    ["with server, an exclusion sees the name only", [{ server: "fs", ...off("*", "!fs:*") }], "fs:read", false],

    ["a rule of another server does not apply", [{ server: "github", ...off("*") }], "gitlab:x", true],
    ["a rule of the server applies", [{ server: "github", ...off("*") }], "github:x", false],
    ["server is compared without case", [{ server: "GitHub", ...off("*") }], "github:x", false],
    ["server may be a glob", [{ server: "git*", ...off("*") }], "gitlab:x", false],
    ["server may have alternatives", [{ server: "{github,gitlab}", ...off("*") }], "gitlab:x", false],
    ["server is compared as a whole", [{ server: "git", ...off("*") }], "github:x", true],
    ["server may be an exact name with special characters", [{ server: "a[1]", ...off("*") }], "a[1]:x", false],

    ["globs ignore case", [off("*DELETE*")], "fs:delete_file", false],
    ["globs ignore the case of the name", [off("*delete*")], "fs:DeleteFile", false],
    ["* crosses slashes", [off("repos*delete")], "gh:repos/owner/delete", false],
    ["* matches a leading dot", [off("*secret")], "fs:.secret", false],
    ["* crosses colons", [off("a*z")], "s:a:b:z", false],
    ["full-width letters do not escape a glob", [off("*delete*")], "fs:ｄｅｌｅｔｅ", false],
    ["a set matches one of its characters", [off("get_[ab]")], "s:get_b", false],
    ["a question mark matches exactly one character", [off("get_?")], "s:get_bb", true],
    ["an escaped star matches only a star", [off("get_\\*")], "s:get_x", true],
    ["an escaped exclamation mark does not exclude", [off("\\!x")], "s:!x", false],
  ])("%s", async (_, rules, id, enabled) => {
    expect(decideRules(await compileRules(rules), tool(id)).enabled).toBe(enabled);
  });

  it.each<[string, NormalizedToolRule[], string, string[]]>([
    [
      "collects the tags of all matching rules, in order",
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
      "rules after the deciding one still add their tags",
      [
        { pattern: ["*"], enabled: true, tags: ["first"] },
        { pattern: ["*delete*"], enabled: false, tags: ["dangerous"] },
      ],
      "fs:delete_file",
      ["first", "dangerous"],
    ],
    ["rules that do not apply add none", [{ pattern: ["*", "!*x*"], tags: ["t"] }], "s:x", []],
  ])("%s", async (_, rules, id, tags) => {
    expect(decideRules(await compileRules(rules), tool(id)).tags).toEqual(tags);
  });

  it("returns the deciding rule and all matching rules", async () => {
    const rules = await compileRules([{ pattern: ["*"], tags: ["all"] }, off("x"), on("*a*"), off("*a*")]);
    expect(decideRules(rules, tool("s:cat"))).toEqual({
      enabled: true,
      tags: ["all"],
      decidedBy: 2,
      applied: [0, 2, 3],
    });
    expect(decideRules(rules, tool("s:dog"))).toEqual({
      enabled: false,
      tags: ["all"],
      decidedBy: undefined,
      applied: [0],
    });
  });

  it("gives the same answer every time", async () => {
    const rules = await compileRules([off("/a+/gy", "*{x,y}*")]);
    const answers = new Set(Array.from({ length: 10_000 }, () => decideRules(rules, tool("s:baab")).enabled));
    expect([...answers]).toEqual([false]);
  });

  it("applies a rule exactly if one of its patterns alone would apply", async () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "_", "é"), minLength: 1, maxLength: 6 });
    const glob = fc
      .tuple(fc.boolean(), word, fc.boolean())
      .map(([open, text, end]) => `${open ? "*" : ""}${text}${end ? "*" : ""}`);
    await fc.assert(
      fc.asyncProperty(fc.array(glob, { minLength: 1, maxLength: 4 }), word, word, async (patterns, server, name) => {
        const together = decideRules(await compileRules([off(...patterns)]), { server, name });
        const each = await Promise.all(patterns.map((pattern) => compileRules([off(pattern)])));
        const alone = each.map((rules) => decideRules(rules, { server, name }));
        expect(together.enabled).toBe(alone.every((decision) => decision.enabled));
      }),
    );
  });

  it("decides tools under 8,000 rules in time that is proportional to the number of rules", async () => {
    const compile = (count: number) =>
      compileRules(Array.from({ length: count }, (_, index) => off(`*tool_${index}*`, `server-${index}:*`)));
    const compiled = new Map([
      [1_000, await compile(1_000)],
      [8_000, await compile(8_000)],
    ]);
    await expectLinear(
      (count) => () => {
        for (let index = 0; index < 200; index += 1)
          expect(decideRules(compiled.get(count)!, { server: "s", name: `tool_${index}` }).enabled).toBe(false);
      },
      1_000,
    );
  });
});
