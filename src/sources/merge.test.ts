import { describe, expect, it } from "vitest";
import type { ServerCandidate } from "./candidate.js";
import { mergeServers } from "./merge.js";

const server = (name: string, origin: string, command: string, args: string[] = []): ServerCandidate => ({
  definition: { name, origin, manifest: [], connection: { kind: "stdio", command, args, env: {} } },
});
const remote = (name: string, origin: string, url: string): ServerCandidate => ({
  definition: { name, origin, manifest: [], connection: { kind: "http", url, headers: {} } },
});

describe("the same connection under two names", () => {
  it.each<[string, ServerCandidate, ServerCandidate]>([
    ["the same command and arguments", server("a", "1", "x", ["y"]), server("b", "2", "x", ["y"])],
    ["npx with and without -y", server("a", "1", "npx", ["-y", "p"]), server("b", "2", "npx", ["p"])],
    ["npx through cmd", server("a", "1", "npx", ["p"]), server("b", "2", "cmd", ["/c", "npx", "-y", "p"])],
    ["the tag @latest", server("a", "1", "npx", ["p@latest"]), server("b", "2", "npx", ["p"])],
    ["a trailing slash", remote("a", "1", "https://x/mcp"), remote("b", "2", "https://x/mcp/")],
  ])("in two files is one server: %s", (_, first, second) => {
    const { servers, outcomes, notices } = mergeServers([[first], [second]]);
    expect(servers).toEqual([first]);
    expect(outcomes.get(second)).toEqual({ kind: "duplicate", duplicateOf: "a" });
    expect(notices).toEqual(['The server "b" from 2 has the same connection as "a" from 1 and was skipped.']);
  });

  it.each<[string, ServerCandidate, ServerCandidate]>([
    ["in one file is two servers", server("a", "1", "x"), server("b", "1", "x")],
    ["with another argument is two servers", server("a", "1", "x", ["1"]), server("b", "2", "x", ["2"])],
    ["with another env file is two servers", server("a", "1", "x"), { ...server("b", "2", "x"), envFile: "/e" }],
  ])("%s", (_, first, second) => {
    expect(mergeServers([[first], [second]]).servers).toHaveLength(2);
  });
});

describe("many servers that use the same program", () => {
  it("resolve each path once", () => {
    const resolvedPaths: string[] = [];
    const realPath = (path: string): string => (resolvedPaths.push(path), path);
    const many = ["a", "b", "c"].map((name) => server(name, "1", "/usr/bin/node", ["/srv/one.mjs", name]));
    expect(mergeServers([many], { paths: [], realPath }).servers).toHaveLength(3);
    expect(resolvedPaths).toEqual(["/usr/bin/node", "/srv/one.mjs"]);
  });
});

describe("a tool that one of two programs hides", () => {
  const imported = (tools?: ServerCandidate["tools"], origin = "1"): ServerCandidate => {
    const { definition } = server("a", origin, "x");
    const found = { client: "cursor", file: origin, scope: "user", path: "mcpServers.a" } as const;
    return {
      definition,
      ...(tools === undefined ? {} : { tools }),
      imported: { definition, origin: found, isGateway: false, variables: [], notes: [] },
    };
  };

  it.each<[string, ServerCandidate["tools"], ServerCandidate["tools"], ServerCandidate["tools"]]>([
    ["by the second program only", undefined, { deny: ["x"] }, { deny: ["x"] }],
    ["by the first program only", { allow: ["x"] }, undefined, { allow: ["x"] }],
    ["by both", { deny: ["x", "y"] }, { deny: ["y", "z"] }, { deny: ["x", "y", "z"] }],
    ["by allow lists", { allow: ["x", "y"] }, { allow: ["y", "z"] }, { allow: ["y"] }],
    ["by allow lists without a common name", { allow: ["x"] }, { allow: ["z"] }, { allow: [] }],
    ["by an allow list and a deny list", { allow: ["x"] }, { deny: ["x"] }, { allow: ["x"], deny: ["x"] }],
  ])("stays hidden: %s", (_name, first, second, expected) => {
    const { servers } = mergeServers([[imported(first)], [imported(second, "2")]]);
    expect(servers.map(({ tools }) => tools)).toEqual([expected]);
  });

  it("stays hidden if a third program shows it", () => {
    const all = [imported(), imported({ deny: ["x"] }, "2"), imported({ deny: ["y"] }, "3")];
    expect(mergeServers([all]).servers.map(({ tools }) => tools)).toEqual([{ deny: ["x", "y"] }]);
  });

  it("is not hidden if the user's configuration has the server", () => {
    const own = server("a", "config", "x");
    expect(mergeServers([[own], [imported({ deny: ["x"] })]]).servers).toEqual([own]);
  });
});

it("returns the outcome of each candidate", () => {
  const disabled: ServerCandidate = {
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

describe("servers that the configuration disables", () => {
  it("are removed by their final names, and no other server changes its name", () => {
    const [first, second, third] = [server("a", "1", "x"), server("A", "2", "y"), server("b", "2", "z")];
    const { servers, outcomes } = mergeServers([[first], [second, third]], undefined, new Set(["a"]));
    expect(servers.map(({ definition }) => definition.name)).toEqual(["A-2", "b"]);
    expect(outcomes.get(first)).toEqual({
      kind: "disabled",
      reason: "your configuration has `enabled: false` for it",
    });
  });

  it("are found by a new name after a rename", () => {
    const groups = [[server("a", "1", "x")], [server("A", "2", "y")]];
    const { servers } = mergeServers(groups, undefined, new Set(["a-2"]));
    expect(servers.map(({ definition }) => definition.name)).toEqual(["a"]);
  });
});
