import type { ToolDefinition } from "../../model/tool.js";
import { PERSON_MEMBER, SCOPES_MEMBER } from "../../policy/policy.js";

/** What they do is done with the means of this machine, and for all who call it: not every caller may. */
const SCOPES = { [SCOPES_MEMBER]: ["anygpt:discover"] };

const text = (description: string) => ({ type: "string", description });
const URL_TEXT = text("https address of the MCP server");
const NAME = text("short name of the server, the first part of the ids of its tools; guessed when left out");
const AUTH = {
  auth_header: text("header that carries the credential, such as Authorization or X-API-Key"),
  auth_env_var: text("environment variable of the person's that holds the credential"),
};
const HEADERS = {
  type: "object",
  additionalProperties: { type: "string" },
  description: "headers to send, as they stand; variables are not replaced",
};

export const DISCOVER: ToolDefinition = {
  name: "mcp_discover",
  title: "Discover an MCP server",
  description:
    "Connect to a remote MCP server by its URL and list the tools that it offers, without adding it. Tells which tool files mcp_write_tools would write for it.",
  inputSchema: {
    type: "object",
    properties: {
      url: URL_TEXT,
      name: NAME,
      headers: HEADERS,
      ...AUTH,
      transport: text("http, the default; commands (stdio) are open to people only"),
    },
  },
  annotations: { readOnlyHint: true, openWorldHint: true },
  _meta: SCOPES,
};

export const CALL: ToolDefinition = {
  name: "mcp_call",
  title: "Call a tool of an MCP server",
  description:
    "Call one tool of a remote MCP server that is not configured, by the server's URL. For configured servers use execute_tool.",
  inputSchema: {
    type: "object",
    properties: {
      url: URL_TEXT,
      tool: text("name of the tool"),
      params: { type: "object", description: "the tool's arguments" },
      headers: HEADERS,
      timeout: { type: "number", exclusiveMinimum: 0, maximum: 900, description: "seconds to wait, 30 by default" },
    },
    required: ["url", "tool"],
  },
  annotations: { destructiveHint: true, openWorldHint: true },
  _meta: SCOPES,
};

export const WRITE_TOOLS: ToolDefinition = {
  name: "mcp_write_tools",
  title: "Add an MCP server as tool files",
  description:
    "Add the tools of a remote MCP server for good: write signed, reusable tool files (YAML) for them. Pass what mcp_discover gave as write_tools, unchanged; a person has to confirm it.",
  inputSchema: {
    type: "object",
    properties: {
      url: URL_TEXT,
      name: NAME,
      ...AUTH,
      folder: text("folder that the files are written into"),
      files: { type: "array", items: { type: "string" }, description: "names of the files" },
      replaces: {
        type: "array",
        items: {
          type: "object",
          properties: {
            file: text("name of the file"),
            version: text("that it has"),
            address: text("that it reaches"),
          },
          required: ["file", "version", "address"],
          additionalProperties: false,
        },
        description: "files that stand there and are replaced",
      },
      sends: text("which variable goes to which address with every call"),
      digest: text("of the contents"),
    },
    required: ["url", "name", "folder", "files", "digest"],
    additionalProperties: false,
  },
  annotations: { destructiveHint: true, openWorldHint: true },
  _meta: { ...SCOPES, [PERSON_MEMBER]: true },
};
