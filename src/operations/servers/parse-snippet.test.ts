import { describe, expect, it } from "vitest";
import { parseSnippet } from "./parse-snippet.js";

const SYSTEM = { platform: "linux" as const, home: "/home/ada", cwd: "/work", env: {} };
const parse = (value: object | string, name?: string) =>
  parseSnippet(typeof value === "string" ? value : JSON.stringify(value), name, SYSTEM).map(({ name: own, entry }) => [
    own,
    entry,
  ]);

describe("parseSnippet", () => {
  it.each([
    ["VS Code", { servers: { a: { type: "stdio", command: "a", args: ["-x"] } } }],
    ["the former settings of VS Code", { mcp: { servers: { a: { command: "a", args: ["-x"] } } } }],
    ["opencode", { mcp: { a: { type: "local", command: ["a", "-x"] } } }],
    ["Zed", { context_servers: { a: { source: "custom", command: "a", args: ["-x"] } } }],
    ["most clients", { mcpServers: { a: { command: "a", args: ["-x"] } } }],
    ["a map by name", { a: { command: "a", args: ["-x"] } }],
  ])("reads the layout of %s", (_client, value) => {
    expect(parse(value)).toEqual([["a", { command: "a", args: ["-x"] }]]);
  });

  it("reads a fragment with comments, a trailing comma and a code fence", () => {
    expect(parse('```json\n"a": { "command": "a", }, // one\n```')).toEqual([["a", { command: "a" }]]);
  });

  it("rejects a server without a name", () => {
    expect(() => parse({ command: "a" })).toThrow("describes a server without a name");
    expect(parse({ command: "a" }, "b")).toEqual([["b", { command: "a" }]]);
  });

  it("rejects one name for several servers", () => {
    expect(() => parse({ a: { command: "a" }, b: { command: "b" } }, "c")).toThrow("2 servers");
  });

  const EVIL = "${command:touch pwned}";
  it.each<[string, object]>([
    ["a variable of an entry with `connection`", { connection: { command: "a", env: { TZ: EVIL } } }],
    [
      "a header of an entry with `oauth`",
      { url: "https://a.example/mcp", oauth: { clientId: "x" }, headers: { A: EVIL } },
    ],
    ["`oauth` itself", { url: "https://a.example/mcp", oauth: { clientId: "x", clientSecret: EVIL, scopes: [EVIL] } }],
    ["the default of a variable", { connection: { command: "a", args: [`\${A:-\${B:-${EVIL}}}`] } }],
    ["a very long text", { connection: { command: "a", args: [`${"x".repeat(9_000)}${EVIL}`] } }],
    ["a reference with a quoted brace", { connection: { command: "a", args: ['${command:touch "}" pwned}'] } }],
    ["the keychain", { connection: { command: "a", env: { T: "${keychain:login/ada}" } } }],
    [
      "`cwd`, `envFile` and unknown keys",
      { connection: { command: "a", cwd: EVIL }, envFile: EVIL, more: [[{ x: EVIL }]] },
    ],
  ])("evaluates no reference in %s", (_where, entry) => {
    const [, written] = parse({ mcpServers: { a: entry } })[0] ?? [];
    expect(JSON.stringify(written)).not.toMatch(/(?<!\$)\$\{(?:command|keychain):/);
  });

  it("rejects a key that contains a reference", () => {
    expect(() => parse({ a: { connection: { command: "a", env: { [EVIL]: "x" } } } })).toThrow("touch pwned");
  });
});
