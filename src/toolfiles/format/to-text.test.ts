import { describe, expect, it } from "vitest";
import { toToolFileText } from "./to-text.js";
import { definitionHash, type ToolFile } from "./tool-file.js";

const tool = {
  name: "resolve-library-id",
  description: "Resolves a name to a library ID.\nCall this before query-docs.\n",
  inputSchema: {
    type: "object",
    properties: { libraryName: { type: "string", description: "Library name to search for" } },
    required: ["libraryName"],
  },
};

const http: ToolFile = {
  toolId: "context7_resolve_library_id",
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
};

describe("toText", () => {
  it("writes a remote server's tool in the documented format", () => {
    expect(toToolFileText(http)).toBe(`tool_id: context7_resolve_library_id
version: "1.0.0"
tool_type: mcp_tool
executor_id: mcp_http_runtime
category: mcp

metadata:
  mcp_server: context7
  mcp_url: https://mcp.context7.com/mcp
  original_tool_name: resolve-library-id
  discovered_at: "2026-01-27T12:00:00Z"
  definition_hash: "${definitionHash(tool)}"

description: |
  Resolves a name to a library ID.
  Call this before query-docs.

env_requirements:
  - name: CONTEXT7_API_KEY
    description: API key from https://context7.com/dashboard
    header: CONTEXT7_API_KEY
    required: true

input_schema:
  type: object
  properties:
    libraryName:
      type: string
      description: Library name to search for
  required:
    - libraryName

config:
  url: https://mcp.context7.com/mcp
  tool: resolve-library-id
  timeout: 30
  headers:
    CONTEXT7_API_KEY: "\${CONTEXT7_API_KEY}"
`);
  });

  it("writes a local program's tool with all optional keys", () => {
    const rich = {
      name: "write",
      title: "Write",
      description: "Writes.",
      inputSchema: {},
      outputSchema: { type: "object" },
      annotations: { destructiveHint: true },
    };
    const text = toToolFileText({
      ...http,
      toolId: "filesystem_write",
      server: "filesystem",
      tool: rich,
      risk: "high",
      definitionHash: "0".repeat(64),
      needs: [{ name: "KEY", description: "A key", required: false }],
      connection: { kind: "stdio", command: "npx", args: ["-y", "x y"], env: { KEY: "${KEY}" }, cwd: "/srv" },
      timeoutMs: 1500,
    });
    expect(text).toBe(`tool_id: filesystem_write
version: "1.0.0"
tool_type: mcp_tool
executor_id: mcp_stdio_runtime
category: mcp

metadata:
  mcp_server: filesystem
  original_tool_name: write
  discovered_at: "2026-01-27T12:00:00Z"
  title: Write
  annotations:
    destructiveHint: true
  output_schema:
    type: object
  risk: high
  definition_hash: "0000000000000000000000000000000000000000000000000000000000000000"

description: |-
  Writes.

env_requirements:
  - name: KEY
    description: A key
    required: false

input_schema: {}

config:
  command: npx
  args:
    - -y
    - x y
  env:
    KEY: "\${KEY}"
  cwd: /srv
  tool: write
  timeout: 1.5
`);
  });

  it("omits missing members", () => {
    const bare = { name: "x", inputSchema: {} };
    const text = toToolFileText({
      ...http,
      tool: bare,
      needs: [],
      connection: { kind: "sse", url: "http://127.0.0.1/sse", headers: {} },
    });
    expect(text).not.toMatch(/^description|env_requirements|headers|risk|title/m);
    expect(text).toContain("  url: http://127.0.0.1/sse\n  transport: sse\n  tool: x\n");
  });

  it.each([
    ["one line", "Finds.", "description: |-\n  Finds.\n\n"],
    ["lines of different depth", "a\n  b\n\nc", "description: |-\n  a\n    b\n\n  c\n\n"],
    ["nothing", "", 'description: ""\n'],
    ["white space at the start", "  a\nb", 'description: "  a\\nb"\n'],
    ["empty lines at the end", "a\n\n", 'description: "a\\n\\n"\n'],
    ["carriage returns", "a\r\nb", 'description: "a\\r\\nb"\n'],
    ["an escape sequence", "a\u001b[2Jb", 'description: "a\\u001b[2Jb"\n'],
    ["a change of the writing direction", "a\u202eb", 'description: "a\\u202eb"\n'],
    ["tag characters", "a\u{e0041}", 'description: "a\\U000e0041"\n'],
  ])("writes a description of %s", (_, description, written) => {
    expect(toToolFileText({ ...http, tool: { ...tool, description } })).toContain(written);
  });

  it("quotes texts that YAML 1.1 would parse as another type", () => {
    const text = toToolFileText({
      ...http,
      tool: { ...tool, inputSchema: { enum: ["yes", "off", "1:30", "2026-01-01", "0o7"] } },
    });
    for (const word of ["yes", "off", "1:30", "2026-01-01", "0o7"]) expect(text).toContain(`- "${word}"\n`);
  });

  it("writes a repeated object twice instead of an alias", () => {
    const shared = { type: "string" };
    const text = toToolFileText({ ...http, tool: { ...tool, inputSchema: { properties: { a: shared, b: shared } } } });
    expect(text).not.toMatch(/[&*]/);
  });
});
