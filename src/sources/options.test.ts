import { describe, expect, it } from "vitest";
import { checkSchema } from "../util/document/schema.js";
import { pathText } from "../util/document/problem.js";
import { CLIENT_IDS, serverName, serversOptions, sourcesOptions } from "./options.js";

describe("a server's name", () => {
  it.each(["a", "github", "GitHub 2", "my-server_1.2", "9lives", "飞书", "Störung", "x".repeat(64)])(
    "accepts %j",
    (name) => {
      expect(checkSchema(serverName, name).kind).toBe("ok");
    },
  );

  it.each([
    "",
    "a:b",
    "a/b",
    ".hidden",
    "-x",
    " a",
    "a ",
    "a\tb",
    "a\nb",
    "a\u0000",
    "a\u202eb",
    "@x",
    "x".repeat(65),
    "../x",
  ])("rejects %j", (name) => {
    expect(checkSchema(serverName, name).kind).toBe("violations");
  });
});

describe("servers", () => {
  it.each<[string, object]>([
    ["a flat command", { command: "node" }],
    ["a flat URL", { url: "https://x/mcp", headers: { "X-Key": "1" } }],
    ["a nested connection", { connection: { type: "stdio", command: "node", args: [], env: {}, cwd: "." } }],
    ["every spelling of http", { type: "streamable-http", url: "http://127.0.0.1:1" }],
    ["a URL that is a variable", { url: "${URL}" }],
    ["a URL with variables", { type: "sse", url: "https://${HOST}:${PORT}/mcp" }],
    ["a manifest", { command: "x", tools: [{ name: "t", description: "d", inputSchema: { type: "object" } }] }],
    ["a disabled server", { command: "x", enabled: false }],
  ])("accepts %s", (_, entry) => {
    expect(checkSchema(serversOptions, [{ name: "a", ...entry }]).kind).toBe("ok");
    expect(checkSchema(serversOptions, { a: entry }).kind).toBe("ok");
  });

  it.each<[string, unknown, string[]]>([
    ["neither command nor URL", [{ name: "a" }], ["[0]: needs a `command` or a `url`"]],
    ["both", [{ name: "a", command: "x", url: "http://x" }], ["[0]: has both `command` and `url`; keep one"]],
    ["a connection with neither", { a: { connection: {} } }, ["a.connection: needs a `command` or a `url`"]],
    [
      "flat keys next to a connection",
      { a: { connection: { command: "x" }, args: [] } },
      ["a.args: must be inside `connection`, because the entry has one"],
    ],
    ["the wrong type", { a: { type: "stdio", url: "http://x" } }, ["a.type: does not match `url`"]],
    ["http with a command", { a: { type: "http", command: "x" } }, ["a.type: does not match `command`"]],
    [
      "an unknown type",
      { a: { type: "carrier-pigeon", command: "x" } },
      ['a.type: must be one of "stdio", "http", "sse", "streamable-http", "streamableHttp"'],
    ],
    [
      "headers for a program",
      { a: { command: "x", headers: {} } },
      ["a.headers: is only allowed for a server with `url`"],
    ],
    [
      "arguments for a URL",
      { a: { url: "http://x", args: [], env: {} } },
      ["a.args: is only allowed for a server with `command`", "a.env: is only allowed for a server with `command`"],
    ],
    [
      "another protocol",
      { a: { url: "file:///etc/passwd" } },
      ["a.url: must be a web address that starts with http:// or https://"],
    ],
    [
      "an invalid URL",
      { a: { url: "http://" } },
      ["a.url: must be a web address that starts with http:// or https://"],
    ],
    ["a list entry without a name", [{ command: "x" }], ["[0].name: is missing; it must be text"]],
    [
      "a number in env",
      { a: { command: "x", env: { PORT: 80 } } },
      ["a.env.PORT: must be text, not a number; put it in quotes"],
    ],
    [
      "a bad variable name",
      { a: { command: "x", env: { "A=B": "c" } } },
      ['a.env["A=B"]: is not the name of an environment variable'],
    ],
    [
      "a bad header name",
      { a: { url: "http://x", headers: { "X Y": "c" } } },
      ['a.headers["X Y"]: is not the name of an HTTP header'],
    ],
    ["a NUL character", { a: { command: "x\0y" } }, ["a.command: must not contain a NUL character"]],
    ["an empty command", { a: { command: "" } }, ["a.command: must be at least 1 character long"]],
    [
      "the same tool twice",
      { a: { command: "x", tools: [{ name: "t" }, { name: "t" }] } },
      ["a.tools[1].name: is the name of another tool in this list"],
    ],
    [
      "a schema that JSON cannot represent",
      { a: { command: "x", tools: [{ name: "t", inputSchema: { minimum: Number.NaN } }] } },
      ["a.tools[0].inputSchema: must be a JSON Schema"],
    ],
    [
      "a name with a colon",
      { "a:b": { command: "x" } },
      [
        '["a:b"]: must have 1 to 64 letters, digits, dots, dashes, underscores or spaces, and start with a letter or digit',
      ],
    ],
    ["text", "a", [": must be a list of servers, or a map of them by name"]],
  ])("rejects %s", (_, servers, expected) => {
    const checked = checkSchema(serversOptions, servers);
    const found =
      checked.kind === "ok" ? [] : checked.violations.map(({ path, reason }) => `${pathText(path)}: ${reason}`);
    expect(found).toEqual(expected);
  });
});

describe("sources", () => {
  it.each<[string, unknown, string[]]>([
    [
      "an unknown type",
      [{ type: "emacs", path: "x" }],
      [`[0].type: must be one of ${["custom", ...CLIENT_IDS].map((id) => `"${id}"`).join(", ")}`],
    ],
    ["no path", [{ type: "custom" }], ["[0].path: is missing; a custom source needs it"]],
    [
      "a misspelled key",
      [{ type: "custom", path: "x", pth: 1 }],
      ['[0].pth: is not a known key; did you mean "path"?'],
    ],
    [
      "an unknown key",
      [{ type: "custom", path: "x", colour: 1 }],
      ["[0].colour: is not a known key; the keys here are type, path"],
    ],
    ["a map", { custom: "x" }, [": must be a list of sources, or the word all"]],
    [
      "too many sources",
      Array.from({ length: 101 }, () => ({ type: "custom", path: "x" })),
      [": must be a list of at most 100 items"],
    ],
  ])("rejects %s", (_, sources, expected) => {
    const checked = checkSchema(sourcesOptions, sources);
    const found =
      checked.kind === "ok" ? [] : checked.violations.map(({ path, reason }) => `${pathText(path)}: ${reason}`);
    expect(found).toEqual(expected);
  });
});
