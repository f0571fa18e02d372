import { describe, expect, it } from "vitest";
import type { Candidate } from "./candidate.js";
import { mergeServers } from "./merge.js";

const server = (name: string, origin: string, command: string, args: string[] = []): Candidate => ({
  definition: { name, origin, manifest: [], connection: { kind: "stdio", command, args, env: {} } },
});
const remote = (name: string, origin: string, url: string): Candidate => ({
  definition: { name, origin, manifest: [], connection: { kind: "http", url, headers: {} } },
});

describe("the same server under two names", () => {
  it.each<[string, Candidate, Candidate]>([
    ["the same words", server("a", "1", "x", ["y"]), server("b", "2", "x", ["y"])],
    ["npx with and without -y", server("a", "1", "npx", ["-y", "p"]), server("b", "2", "npx", ["p"])],
    ["npx through cmd", server("a", "1", "npx", ["p"]), server("b", "2", "cmd", ["/c", "npx", "-y", "p"])],
    ["a tag that says nothing", server("a", "1", "npx", ["p@latest"]), server("b", "2", "npx", ["p"])],
    ["a slash at the end", remote("a", "1", "https://x/mcp"), remote("b", "2", "https://x/mcp/")],
  ])("in two files is one: %s", (_, first, second) => {
    const { servers, outcomes, notices } = mergeServers([[first], [second]]);
    expect(servers).toEqual([first]);
    expect(outcomes.get(second)).toEqual({ kind: "duplicate", duplicateOf: "a" });
    expect(notices).toEqual(['The server "b" of 2 is the same as "a" of 1 and was left out.']);
  });

  it.each<[string, Candidate, Candidate]>([
    ["in one file is two", server("a", "1", "x"), server("b", "1", "x")],
    ["with another argument is two", server("a", "1", "x", ["1"]), server("b", "2", "x", ["2"])],
    ["with another file of variables is two", server("a", "1", "x"), { ...server("b", "2", "x"), envFile: "/e" }],
  ])("%s", (_, first, second) => {
    expect(mergeServers([[first], [second]]).servers).toHaveLength(2);
  });
});

describe("many servers that the same program starts", () => {
  it("has each of its paths followed once", () => {
    const followed: string[] = [];
    const realPath = (path: string): string => (followed.push(path), path);
    const many = ["a", "b", "c"].map((name) => server(name, "1", "/usr/bin/node", ["/srv/one.mjs", name]));
    expect(mergeServers([many], { paths: [], realPath }).servers).toHaveLength(3);
    expect(followed).toEqual(["/usr/bin/node", "/srv/one.mjs"]);
  });
});

describe("what is hidden of a server that two programs have", () => {
  const imported = (tools?: Candidate["tools"], origin = "1"): Candidate => {
    const { definition } = server("a", origin, "x");
    const found = { client: "cursor", file: origin, scope: "user", path: "mcpServers.a" } as const;
    return {
      definition,
      ...(tools === undefined ? {} : { tools }),
      imported: { definition, origin: found, isGateway: false, variables: [], notes: [] },
    };
  };

  it.each<[string, Candidate["tools"], Candidate["tools"], Candidate["tools"]]>([
    ["by the second alone", undefined, { deny: ["x"] }, { deny: ["x"] }],
    ["by the first alone", { allow: ["x"] }, undefined, { allow: ["x"] }],
    ["by both", { deny: ["x", "y"] }, { deny: ["y", "z"] }, { deny: ["x", "y", "z"] }],
    ["by lists of what is offered", { allow: ["x", "y"] }, { allow: ["y", "z"] }, { allow: ["y"] }],
    ["by lists without a common name", { allow: ["x"] }, { allow: ["z"] }, { allow: [] }],
    ["in both ways", { allow: ["x"] }, { deny: ["x"] }, { allow: ["x"], deny: ["x"] }],
  ])("stays hidden: %s", (_name, first, second, expected) => {
    const { servers } = mergeServers([[imported(first)], [imported(second, "2")]]);
    expect(servers.map(({ tools }) => tools)).toEqual([expected]);
  });

  it("stays hidden by a third", () => {
    const all = [imported(), imported({ deny: ["x"] }, "2"), imported({ deny: ["y"] }, "3")];
    expect(mergeServers([all]).servers.map(({ tools }) => tools)).toEqual([{ deny: ["x", "y"] }]);
  });

  it("is the person's to decide where they wrote the server down themselves", () => {
    const own = server("a", "config", "x");
    expect(mergeServers([[own], [imported({ deny: ["x"] })]]).servers).toEqual([own]);
  });
});

it("says what became of each", () => {
  const disabled: Candidate = {
    ...server("off", "1", "o"),
    imported: {
      definition: server("off", "1", "o").definition,
      origin: { client: "cursor", file: "1", scope: "user", path: "mcpServers.off" },
      disabled: "`disabled` is true",
      isGateway: false,
      variables: [],
      notes: [],
    },
  };
  const taken = server("a", "1", "x");
  const gateway = server("g", "1", "npx", ["@anygpt/discovery"]);
  const renamed = server("A", "2", "y");
  const { outcomes } = mergeServers([[taken, gateway, disabled], [renamed]]);
  expect([...outcomes.values()]).toEqual([
    { kind: "taken", name: "a" },
    { kind: "gateway" },
    { kind: "disabled", reason: "`disabled` is true" },
    { kind: "renamed", name: "A-2" },
  ]);
});

describe("servers that the configuration switches off", () => {
  it("are left out under the names that they have here, and no other server changes its name", () => {
    const [first, second, third] = [server("a", "1", "x"), server("A", "2", "y"), server("b", "2", "z")];
    const { servers, outcomes } = mergeServers([[first], [second, third]], undefined, new Set(["a"]));
    expect(servers.map(({ definition }) => definition.name)).toEqual(["A-2", "b"]);
    expect(outcomes.get(first)).toEqual({
      kind: "disabled",
      reason: "your configuration has `enabled: false` for it",
    });
  });

  it("may be ones that were renamed", () => {
    const groups = [[server("a", "1", "x")], [server("A", "2", "y")]];
    const { servers } = mergeServers(groups, undefined, new Set(["a-2"]));
    expect(servers.map(({ definition }) => definition.name)).toEqual(["a"]);
  });
});
