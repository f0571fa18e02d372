import type { ToolDefinition } from "../model/tool.js";
import { PERSON_MEMBER, SCOPES_MEMBER } from "../policy/policy.js";

/**
 * Scopes that a caller needs for the built-in tools: they use this machine's network and change the tools of all
 * callers.
 */
const SCOPES = { [SCOPES_MEMBER]: ["anygpt:discover"] };

const text = (description: string) => ({ type: "string", description });
const URL_TEXT = text("https URL of the MCP server");
const NAME = text("short name of the server, the first part of its tools' ids; derived from the URL if omitted");
const AUTH = {
  auth_header: text("header that carries the credential, such as Authorization or X-API-Key"),
  auth_env_var: text("name of the user's environment variable that holds the credential"),
};
const HEADERS = {
  type: "object",
  additionalProperties: { type: "string" },
  description: "headers to send unchanged; variables in them are not replaced",
};

export const DISCOVER: ToolDefinition = {
  name: "mcp_discover",
  title: "Discover an MCP server",
  description:
    "Connect to a remote MCP server by its URL and list the tools that it offers, without adding it. The answer also says which tool files mcp_write_tools would write.",
  inputSchema: {
    type: "object",
    properties: {
      url: URL_TEXT,
      name: NAME,
      headers: HEADERS,
      ...AUTH,
      transport: text("http (default); only the user can start commands (stdio)"),
    },
  },
  annotations: { readOnlyHint: true, openWorldHint: true },
  _meta: SCOPES,
};

export const CALL: ToolDefinition = {
  name: "mcp_call",
  title: "Call a tool of an MCP server",
  description:
    "Call one tool of a remote MCP server that is not configured, by the server's URL. For configured servers run the server's tools instead.",
  inputSchema: {
    type: "object",
    properties: {
      url: URL_TEXT,
      tool: text("name of the tool"),
      params: { type: "object", description: "the tool's arguments" },
      headers: HEADERS,
      timeout: {
        type: "number",
        exclusiveMinimum: 0,
        maximum: 900,
        description: "maximum wait in seconds; default 30",
      },
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
    "Add the tools of a remote MCP server permanently: write signed, reusable tool files (YAML) for them. Pass write_tools from the answer of mcp_discover unchanged; the user has to confirm the call.",
  inputSchema: {
    type: "object",
    properties: {
      url: URL_TEXT,
      name: NAME,
      ...AUTH,
      folder: text("folder for the files"),
      files: { type: "array", items: { type: "string" }, description: "names of the files" },
      replaces: {
        type: "array",
        items: {
          type: "object",
          properties: {
            file: text("name of the file"),
            version: text("version of the existing file"),
            address: text("URL or command of the existing file"),
          },
          required: ["file", "version", "address"],
          additionalProperties: false,
        },
        description: "existing files that will be replaced",
      },
      sends: text("which variable is sent to which URL with every call"),
      digest: text("hash of the files' contents"),
    },
    required: ["url", "name", "folder", "files", "digest"],
    additionalProperties: false,
  },
  annotations: { destructiveHint: true, openWorldHint: true },
  _meta: { ...SCOPES, [PERSON_MEMBER]: true },
};
