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

  it("needs a name for one server without one", () => {
    expect(() => parse({ command: "a" })).toThrow("does not say what it is called");
    expect(parse({ command: "a" }, "b")).toEqual([["b", { command: "a" }]]);
  });

  it("takes one name for one server only", () => {
    expect(() => parse({ a: { command: "a" }, b: { command: "b" } }, "c")).toThrow("2 servers");
  });
});
