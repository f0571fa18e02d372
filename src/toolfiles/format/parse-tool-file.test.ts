import { describe, expect, it } from "vitest";
import { parseToolFile } from "./parse-tool-file.js";
import { definitionHash } from "./tool-file.js";

const SEED = `tool_id: context7_resolve_library
version: "1.0.0"
tool_type: mcp_tool
executor_id: mcp_http_runtime
category: mcp

metadata:
  mcp_server: context7
  mcp_url: https://mcp.context7.com/mcp
  original_tool_name: resolve-library-id
  discovered_at: "2026-01-27T12:00:00Z"

description: |
  Find a library ID from a name.

# Environment variables required for this MCP
env_requirements:
  - name: CONTEXT7_API_KEY
    description: API key from https://context7.com/dashboard
    header: CONTEXT7_API_KEY # Header name to use
    required: true

input_schema:
  type: object
  properties:
    libraryName:
      type: string

config:
  url: https://mcp.context7.com/mcp
  tool: resolve-library-id
  timeout: 30
  headers:
    CONTEXT7_API_KEY: "\${CONTEXT7_API_KEY}"
`;

const STDIO = `tool_id: context7_resolve_library
version: "1.0.0"
tool_type: mcp_tool
executor_id: mcp_stdio_runtime
category: mcp
metadata:
  mcp_server: context7
  original_tool_name: x
  discovered_at: "2026-01-27T12:00:00Z"
env_requirements:
  - name: KEY
    description: A key
input_schema: {}
config:
  command: npx
  args: [-y, thing]
  env:
    KEY: "\${KEY}"
  tool: x
`;

const NAME = "context7_resolve_library";
const reasonsOf = (text: string | Uint8Array, name = NAME, firstLine?: number): readonly string[] => {
  const parsed = parseToolFile(text, name, firstLine);
  return parsed.kind === "wrong" ? parsed.reasons : [];
};
const put = (from: string, to: string, text = SEED): string => {
  expect(text).toContain(from);
  return text.replace(from, () => to);
};

describe("parseToolFile", () => {
  it("reads a file in the documented format", () => {
    const tool = {
      name: "resolve-library-id",
      description: "Find a library ID from a name.\n",
      inputSchema: { type: "object", properties: { libraryName: { type: "string" } } },
    };
    expect(parseToolFile(SEED, `${NAME}.yaml`)).toStrictEqual({
      kind: "ok",
      file: {
        toolId: NAME,
        version: "1.0.0",
        server: "context7",
        tool,
        discoveredAt: "2026-01-27T12:00:00Z",
        definitionHash: definitionHash(tool),
        needs: [
          {
            name: "CONTEXT7_API_KEY",
            description: "API key from https://context7.com/dashboard",
            header: "CONTEXT7_API_KEY",
            required: true,
          },
        ],
        connection: {
          kind: "http",
          url: "https://mcp.context7.com/mcp",
          headers: { CONTEXT7_API_KEY: "${CONTEXT7_API_KEY}" },
        },
        timeoutMs: 30_000,
      },
    });
  });

  it("reads a file that starts a program, without optional keys", () => {
    expect(parseToolFile(STDIO, NAME)).toMatchObject({
      kind: "ok",
      file: {
        needs: [{ name: "KEY", description: "A key", required: true }],
        connection: { kind: "stdio", command: "npx", args: ["-y", "thing"], env: { KEY: "${KEY}" } },
        timeoutMs: 30_000,
      },
    });
  });

  it.each([
    ["a legacy server", put("  timeout: 30", "  transport: sse"), { connection: { kind: "sse" } }],
    ["a variable after a word", put('"${CONTEXT7', '"Bearer ${CONTEXT7'), {}],
    ["a server's own text about variables", put("Find a library", "Find ${HOME}"), {}],
    ["a risk", put("  discovered_at", "  risk: high\n  discovered_at"), { risk: "high" }],
    [
      "a hash",
      put("  discovered_at", `  definition_hash: ${"a".repeat(64)}\n  discovered_at`),
      { definitionHash: "a".repeat(64) },
    ],
  ])("accepts %s", (_, text, file) => {
    expect(parseToolFile(text, NAME)).toMatchObject({ kind: "ok", file });
  });

  it.each([
    ["an unknown key", put("category: mcp\n", "category: mcp\nurl: x\n"), "6:1: url: is not a known key"],
    [
      "an unknown key inside",
      put("  timeout: 30", "  timeout: 30\n  proxy: x"),
      "33:3: config.proxy: is not a known key",
    ],
    ["an anchor", put("type: object", "type: &a object"), "24:9: anchors are not supported"],
    ["an alias", put("tool: resolve-library-id", "tool: *a"), "aliases are not supported"],
    ["a tag", put("timeout: 30", "timeout: !!int 30"), "32:12: tags are not supported"],
    ["a merge key", put("  type: object", "  <<: {}"), "merge keys are not supported"],
    ["a directive", `%YAML 1.2\n---\n${SEED}`, "1:1: directives are not supported"],
    ["a second document", `${SEED}---\na: 1\n`, "only one document"],
    ["a key twice", put("category: mcp\n", "category: mcp\ncategory: mcp\n"), "6:1: category: is written twice"],
    ["__proto__", put("libraryName:", "__proto__:"), "is not allowed as a key"],
    ["a number that JSON lacks", put("type: object", "maximum: .inf"), "input_schema.maximum: is a number that JSON"],
    [
      "a variable in the address",
      SEED.replaceAll("mcp.context7.com", "${HOST}.com"),
      "30:3: config.url: variables are only",
    ],
    ["a variable in the command", put("npx", '"${X}"', STDIO), "config.command: variables are only allowed"],
    ["a variable among the arguments", put("thing", '"${KEY}"', STDIO), "config.args[1]: variables are only allowed"],
    [
      "a variable in the description of a requirement",
      put("API key from", "${X}"),
      "env_requirements[0].description: variables are only",
    ],
    ["an undeclared variable", put('"${CONTEXT7_API_KEY}"', '"${CONTEXT7_API_KEY}${HOME}"'), "HOME is not declared"],
    ["a default of a variable", put("API_KEY}", "API_KEY:-x}"), 'a variable must be written as "${NAME}"'],
    ["an escaped variable", put('"${', '"$${'), 'a variable must be written as "${NAME}"'],
    ["another scheme", SEED.replaceAll("https://mcp", "ftp://mcp"), "config.url: must be a web address"],
    [
      "a password in the address",
      SEED.replaceAll("https://mcp", "https://a:b@mcp"),
      "config.url: must be a web address",
    ],
    ["carriage returns", SEED.replaceAll("\n", "\r\n"), "1:34: lines must end with LF alone"],
    ["a NUL character", put("Find", "Fi\0nd"), "14:5: control characters must be escaped"],
    ["a raw escape character", put("Find", "Fi\u001bnd"), "control characters must be escaped"],
    ["a byte order mark", `\ufeff${SEED}`, "byte order mark"],
    ["a version that is a number", put('"1.0.0"', "1.0"), "2:1: version: must be text, not"],
    ["a version of two numbers", put('"1.0.0"', '"1.0"'), "version: must be three numbers"],
    ["a version with a leading zero", put('"1.0.0"', '"01.0.0"'), "version: must be three numbers"],
    ["another file's id", put("tool_id: context7", "tool_id: other"), "1:1: tool_id: must be the file's name"],
    ["a path for an id", put("tool_id: context7", "tool_id: ../context7"), "tool_id: must be 1 to 80"],
    ["an unknown executor", put("mcp_http_runtime", "subprocess"), "executor_id: must be"],
    ["an executor of the other kind", put("mcp_http_runtime", "mcp_stdio_runtime"), "config.command: is missing"],
    [
      "a metadata address that differs from the used one",
      put("mcp_url: https://mcp.", "mcp_url: https://"),
      "metadata.mcp_url: must be the same",
    ],
    [
      "a metadata tool name that differs from the used one",
      put("  tool: resolve", "  tool: delete"),
      "config.tool: must be the same",
    ],
    [
      "a required header that is not configured",
      put("header: CONTEXT7", "header: X"),
      "env_requirements[0].header: config.headers has no such header",
    ],
    ["a header twice", put("  headers:\n", "  headers:\n    context7_api_key: x\n"), "is the name of another header"],
    [
      "a variable twice",
      put("input_schema", "  - {name: CONTEXT7_API_KEY, description: x}\ninput_schema"),
      "is the name of another requirement",
    ],
    [
      "a header of a program",
      put("A key", "A key\n    header: X", STDIO),
      "env_requirements[0].header: is not a known key",
    ],
    ["a line break in a header", put('"${CONTEXT7', '"\\n${CONTEXT7'), "must not contain control characters"],
    ["a wrong time", put("2026-01-27T", "2026-02-30T"), "metadata.discovered_at: must be a time"],
    ["a wrong risk", put("  discovered_at", "  risk: none\n  discovered_at"), "metadata.risk: must be one of"],
    ["an invalid server name", put("mcp_server: context7", "mcp_server: Context:7"), "metadata.mcp_server: must be"],
    ["a timeout that is too long", put("timeout: 30", "timeout: 901"), "config.timeout: must be at most 900"],
    ["a list in place of a schema", put("input_schema: {}", "input_schema: []", STDIO), "input_schema: must be a map"],
    ["nothing", "", "the file is empty"],
    ["a single word", "word", "must be a map of keys"],
    ["too many bytes", `${SEED}#${"x".repeat(512 * 1024)}\n`, "is larger than 512 KiB"],
    ["a lone surrogate", SEED.replace("Find", "\ud800"), "is not valid UTF-8"],
  ])("rejects %s", (_, text, reason) => {
    expect(reasonsOf(text)).toEqual(expect.arrayContaining([expect.stringContaining(reason)]));
  });

  it("rejects bytes that are not UTF-8, and a byte order mark in bytes", () => {
    expect(reasonsOf(Buffer.from([0x61, 0xff]))).toEqual(["is not valid UTF-8 text"]);
    expect(reasonsOf(Buffer.from(`\ufeff${SEED}`))).toEqual([expect.stringContaining("byte order mark")]);
  });

  it("keeps a byte order mark inside a text", () => {
    expect(reasonsOf(put("Find a library", "&a *b !c %d\n  &a *b !c"))).toEqual([]);
    expect(reasonsOf(put("type: object", 'type: "&a *b !c"'))).toEqual([]);
  });

  it("reports all problems in line order, counted from the start of the file", () => {
    const text = put("category: mcp", "category: other").replace('"1.0.0"', "1").replace("timeout: 30", "timeout: x");
    expect(reasonsOf(text, "other_name", 3)).toEqual([
      '3:1: tool_id: must be the file\'s name, "other_name"',
      "4:1: version: must be text, not a number; put it in quotes",
      '7:1: category: must be "mcp"',
      "34:3: config.timeout: must be a number, not text",
    ]);
  });
});
