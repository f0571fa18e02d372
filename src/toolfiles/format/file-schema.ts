import { z } from "zod";
import { checkJsonMember } from "./json-member.js";
import { isToolId, TOOL_ID_RULE } from "../ids/tool-id.js";
import { isServerName, SERVER_NAME_RULE } from "../ids/server-name.js";
import { DEFAULT_TIMEOUT_MS, TOOL_FILE_RISKS } from "./tool-file.js";

const MAX_TEXT_LENGTH = 8_192;
const MAX_TIMEOUT_S = 900;
const MAX_NEEDS = 100;

/**
 * A string that the gateway itself uses. Texts from the server, which it only passes on, may contain any characters.
 */
const text = z
  .string()
  .min(1)
  .max(MAX_TEXT_LENGTH)
  .refine((value) => !/\p{Cc}/u.test(value), "must not contain control characters");

const value = z
  .string()
  .max(MAX_TEXT_LENGTH)
  .refine((given) => !/\p{Cc}/u.test(given), "must not contain control characters");

const argument = z
  .string()
  .max(MAX_TEXT_LENGTH)
  .refine((given) => !given.includes("\0"), "must not contain a NUL character");

const webAddress = text.refine(
  isWebAddress,
  "must be a web address that starts with http:// or https:// and contains no user name and password",
);
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~\w-]{1,256}$/, "is not the name of an HTTP header");
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/, "is not the name of an environment variable");
const jsonObject = z.record(z.string(), z.unknown()).superRefine(checkJsonMember);

const metadata = {
  mcp_server: z.string().refine(isServerName, SERVER_NAME_RULE).describe("The server that has the tool."),
  original_tool_name: z.string().describe("The tool's name at its server."),
  discovered_at: z
    .string()
    .refine(isUtcTime, 'must be a time in UTC such as "2026-01-27T12:00:00Z"')
    .describe("When the server was queried."),
  title: z.string().optional().describe("The tool's title, as the server reports it."),
  annotations: jsonObject.optional().describe("The MCP annotations of the tool, as the server reports them."),
  output_schema: jsonObject.optional().describe("JSON Schema of the tool's result."),
  risk: z.enum(TOOL_FILE_RISKS).optional().describe("How much harm a call can do. Set by the user."),
  definition_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits in small letters")
    .optional()
    .describe("SHA-256 of the server's definition; distinguishes a manual edit from a change at the server."),
};

const need = {
  name: variableName.describe("The name of the variable."),
  description: argument.describe("What the variable is and where to get its value."),
  required: z
    .boolean()
    .default(true)
    .describe("`false`: if the variable is not set, the header or environment variable that uses it is omitted."),
};

const shared = {
  tool: z.string().describe("The same as `metadata.original_tool_name`."),
  timeout: z
    .number()
    .min(0.001)
    .max(MAX_TIMEOUT_S)
    .default(DEFAULT_TIMEOUT_MS / 1000)
    .describe("Timeout of a call without progress, in seconds."),
};

const httpConfig = z
  .strictObject({
    url: webAddress.describe("The URL of the server."),
    transport: z.literal("sse").optional().describe("For servers with the legacy SSE transport."),
    ...shared,
    headers: z
      .record(headerName, value)
      .default({})
      .describe('Headers of every request; `"${NAME}"` is a variable of `env_requirements`.'),
  })
  .describe("How the server is reached.");

const stdioConfig = z
  .strictObject({
    command: text.describe("The program to start, without a shell."),
    args: z.array(argument).max(1_000).default([]).describe("The arguments of the program."),
    env: z
      .record(variableName, argument)
      .default({})
      .describe('Environment variables of the program; `"${NAME}"` is a variable of `env_requirements`.'),
    cwd: text.optional().describe("The working folder of the program."),
    ...shared,
  })
  .describe("How the server is started.");

const EXECUTORS = 'must be "mcp_http_runtime" for a url, or "mcp_stdio_runtime" for a command';

const head = {
  tool_id: z.string().refine(isToolId, TOOL_ID_RULE).describe("The file's name without `.yaml`."),
  version: z
    .string()
    .regex(/^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/, 'must be three numbers such as "1.0.0"')
    .describe("Increases with every change of the file."),
  tool_type: z.literal("mcp_tool"),
  category: z.literal("mcp"),
  description: z.string().optional().describe("What the tool does, as the server reports it."),
  input_schema: jsonObject.describe("JSON Schema of the tool's arguments."),
};

export const httpFile = z.strictObject({
  ...head,
  executor_id: z.literal("mcp_http_runtime", { error: EXECUTORS }),
  metadata: z.strictObject({ ...metadata, mcp_url: webAddress.describe("The same as `config.url`.") }),
  env_requirements: z
    .array(
      z.strictObject({
        ...need,
        header: headerName.optional().describe("The header of `config.headers` that carries the variable."),
      }),
    )
    .max(MAX_NEEDS)
    .default([])
    .describe("Variables that the headers need."),
  config: httpConfig,
});

export const stdioFile = z.strictObject({
  ...head,
  executor_id: z.literal("mcp_stdio_runtime", { error: EXECUTORS }),
  metadata: z.strictObject(metadata),
  env_requirements: z
    .array(z.strictObject(need))
    .max(MAX_NEEDS)
    .default([])
    .describe("Variables that the program needs."),
  config: stdioConfig,
});

/** The validated content of a tool file, by the kind of its server. */
export type HttpContent = z.output<typeof httpFile>;
export type StdioContent = z.output<typeof stdioFile>;

function isWebAddress(address: string): boolean {
  if (!/^https?:\/\/[^\s]+$/i.test(address) || !URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username === "" && password === "";
}

function isUtcTime(time: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time)) return false;
  const date = new Date(time);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(time.slice(0, -1));
}
