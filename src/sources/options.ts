import { z } from "zod";
import { environmentNames } from "../util/environment-names.js";
import { checkJsonValue } from "../util/json/check-value.js";

const MAX_TEXT_LENGTH = 8192;

/**
 * The pattern of a server name. A colon would make `server:tool` ambiguous; a slash or leading dot looks like a path; a
 * trailing space is invisible.
 */
const SERVER_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._ -]{0,62}[\p{L}\p{M}\p{N}._-])?$/u;

export const serverName = z
  .string()
  .regex(
    SERVER_NAME,
    "must have 1 to 64 letters, digits, dots, dashes, underscores or spaces, and start with a letter or digit",
  );

const text = z
  .string()
  .max(MAX_TEXT_LENGTH)
  .refine((value) => !value.includes("\0"), "must not contain a NUL character");

const connectionType = z.enum(["stdio", "http", "sse", "streamable-http", "streamableHttp"]);

const connectionFields = {
  type: connectionType
    .optional()
    .describe(
      "`stdio` starts a program, `http` is Streamable HTTP, `sse` the legacy transport. Derived from `command` or `url` if omitted.",
    ),
  command: text.min(1).optional().describe("The program to start, without a shell."),
  args: z.array(text).optional().describe("The arguments of the program, one list item each."),
  env: z
    .record(z.string().regex(/^[^=\s]+$/, "is not the name of an environment variable"), text)
    .optional()
    .describe(
      "Environment variables for the program, in addition to a small safe set and the gateway's variables that `inheritEnv` names.",
    ),
  envFile: text
    .min(1)
    .optional()
    .describe("A file with more environment variables for the program, in `.env` syntax; `env` takes precedence."),
  cwd: text
    .min(1)
    .optional()
    .describe(
      "Working folder of the program, relative to the file with this setting. Default: the home folder for the user's configuration, the project folder for a project's configuration, the file's folder for a file given with `--config`.",
    ),
  url: text
    .refine(isWebAddress, "must be a web address that starts with http:// or https://")
    .optional()
    .describe("The URL of a remote server."),
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/, "is not the name of an HTTP header"), text)
    .optional()
    .describe("HTTP headers sent with every request to the server."),
};

const ownFields = {
  ...connectionFields,
  inheritEnv: environmentNames
    .optional()
    .describe(
      "Variables of the gateway's environment that are passed to the program, by name or pattern: `AWS_*`, or `*` for all. Replaces `upstreams.inheritEnv` for this server.",
    ),
  integrity: z
    .string()
    .regex(/^sha(?:256|384|512)-[A-Za-z0-9+/]+=*$/, "must be a subresource integrity hash such as sha512-…")
    .optional()
    .describe(
      "Integrity hash of the npm package that `npx` starts, as in npm's `dist.integrity`. The server is not started if npm's npx cache has the package with another hash.",
    ),
  oauth: z
    .strictObject({
      clientId: text
        .min(1)
        .optional()
        .describe("The id of the client that you registered at the authorization server."),
      clientSecret: text.min(1).optional().describe("The secret of that client, as `${VARIABLE}`."),
      clientMetadataUrl: text
        .refine(isWebAddress, "must be a web address that starts with http:// or https://")
        .optional()
        .describe(
          "URL of the OAuth client ID metadata document that describes this gateway, for authorization servers that support it.",
        ),
      issuer: text
        .refine(isWebAddress, "must be a web address that starts with http:// or https://")
        .optional()
        .describe("The authorization server to use instead of the one that the server advertises."),
      scopes: z
        .array(text.min(1))
        .max(100)
        .optional()
        .describe("The scopes to request instead of the ones that the server advertises."),
    })
    .optional()
    .describe(
      "OAuth settings that the server does not advertise itself; `anygpt mcp auth login` uses them to sign in.",
    ),
};

const connectionEntry = z.strictObject(ownFields).superRefine(checkConnection);

const manifestTool = z.strictObject({
  name: text.min(1).max(256).describe("The tool's name at its server."),
  description: text.optional().describe("What the tool does."),
  inputSchema: z
    .record(z.string(), z.unknown())
    // Configuration files in TypeScript, JavaScript or YAML can produce values that JSON cannot represent. Such values
    // cannot be hashed for pinning.
    .refine((schema) => checkJsonValue(schema).kind === "value", { error: "must be a JSON Schema" })
    .optional()
    .describe("JSON Schema of its arguments."),
});

const commonFields = {
  description: text.optional().describe("What the server is for; search uses it too."),
  enabled: z
    .boolean()
    .default(true)
    .describe(
      "`false` disables the server. An entry with only this key disables the server of that name from a source.",
    ),
  tools: z
    .array(manifestTool)
    .max(10_000)
    .superRefine(checkManifest)
    .optional()
    .describe(
      "Tools known in advance: they can be found before the first start of the server; the server's own list replaces them.",
    ),
  connection: connectionEntry
    .optional()
    .describe("How to reach the server; its keys may also be written directly in the entry."),
  ...ownFields,
};

/** The schema of a server entry in a list; `name` is the server's name. */
export const namedServerEntry = z
  .strictObject({
    name: serverName.describe("Unique among all servers; the first part of `server:tool`."),
    ...commonFields,
  })
  .superRefine(checkServer);

/** The schema of a server entry in a map: the key is the server's name, and an inner `name` is a display title. */
export const keyedServerEntry = z
  .strictObject({ name: text.optional().describe("A title; used if there is no description."), ...commonFields })
  .superRefine(checkServer);

/** The schema of a server entry of another program, with its keys converted to those of this gateway. */
export const importedServerEntry = z
  .object({ ...connectionFields, description: text.optional(), tools: z.array(manifestTool).max(10_000).optional() })
  .superRefine(checkEndpoint);

export type ServerEntry = z.output<typeof namedServerEntry>;
export type KeyedServerEntry = z.output<typeof keyedServerEntry>;

const serverCollection = z
  .union([z.array(namedServerEntry), z.record(serverName, keyedServerEntry)], {
    error: "must be a list of servers, or a map of them by name",
  })
  .transform((servers): ServerEntry[] => (Array.isArray(servers) ? servers : toNamedEntries(servers)));

/** The section `servers` of the configuration. */
export const serversOptions = serverCollection
  .prefault([])
  .describe("The servers whose tools are offered: a list of entries with `name`, or a map by name.");

/** The section `mcpServers`: the same as `servers`, under the key that most MCP clients use. */
export const mcpServersOptions = serverCollection
  .optional()
  .describe("The same as `servers`, under the key that MCP clients use. A configuration may have only one of the two.");

/** The ids of the supported programs; `clients/table.ts` has the same list. */
export const CLIENT_IDS = [
  "claude-desktop",
  "claude-code",
  "cursor",
  "windsurf",
  "vscode",
  "cline",
  "roo",
  "gemini-cli",
  "codex",
  "zed",
  "continue",
  "goose",
  "junie",
  "lm-studio",
  "opencode",
  "copilot-cli",
  "amazon-q",
  "kiro",
  "warp",
  "antigravity",
  "docker-mcp",
] as const;

/** The id of an MCP client whose files the gateway can read. */
export type ClientId = (typeof CLIENT_IDS)[number];

const sourceEntry = z
  .strictObject({
    type: z
      .enum(["custom", ...CLIENT_IDS])
      .describe(
        "`custom` is a YAML file with `servers`; every other type reads the files of that program (docs/reference/sources.md).",
      ),
    path: text
      .min(1)
      .optional()
      .describe(
        "The file. `~` is the home folder; other paths are relative to the configuration file. If omitted, the files that the program itself reads.",
      ),
  })
  .superRefine(({ type, path }, context) => {
    if (type === "custom" && path === undefined) report(context, ["path"], "is missing; a custom source needs it");
  });

export type SourceEntry = z.output<typeof sourceEntry>;

/** The section `sources` of the configuration. */
export const sourcesOptions = z
  .union([z.array(sourceEntry).max(100), z.literal("all")], { error: "must be a list of sources, or the word all" })
  .default([])
  .describe(
    "Files with more servers. If two have the same name, the first wins. `all` reads the files of every MCP client on this machine, which is also the default without a configuration file, or if the file has none of `servers`, `mcpServers`, `sources`, `adapters` and `toolFiles`.",
  );

export function toNamedEntries(servers: Readonly<Record<string, KeyedServerEntry>>): ServerEntry[] {
  return Object.entries(servers).map(([key, { name: title, ...entry }]) => {
    const description = entry.description ?? title;
    return { ...entry, name: key, ...(description === undefined ? {} : { description }) };
  });
}

type ConnectionEntry = z.output<typeof connectionEntry>;
type Context = { addIssue(issue: { code: "custom"; path: (string | number)[]; message: string }): void };

type CheckedEntry = ConnectionEntry & { connection?: ConnectionEntry | undefined; enabled: boolean };

/** Whether an entry has no connection and only disables the server of the same name in a source. */
export function isDisablingEntry({ enabled, command, url, connection }: CheckedEntry): boolean {
  return !enabled && command === undefined && url === undefined && connection === undefined;
}

function checkServer(entry: CheckedEntry, context: Context): void {
  if (isDisablingEntry(entry)) return;
  if (entry.connection === undefined) return checkConnection(entry, context);
  for (const key of Object.keys(ownFields)) {
    if (entry[key as keyof ConnectionEntry] === undefined) continue;
    report(context, [key], "must be inside `connection`, because the entry has one");
  }
}

function checkConnection(entry: ConnectionEntry, context: Context): void {
  checkEndpoint(entry, context);
  const stdio = entry.command !== undefined;
  if (stdio === (entry.url !== undefined)) return;
  const misplaced = stdio
    ? (["headers", "oauth"] as const)
    : (["args", "env", "envFile", "cwd", "inheritEnv", "integrity"] as const);
  for (const key of misplaced) {
    if (entry[key] !== undefined)
      report(context, [key], `is only allowed for a server with \`${stdio ? "url" : "command"}\``);
  }
}

function checkEndpoint(entry: ConnectionEntry, context: Context): void {
  const { command, url, type } = entry;
  if (command !== undefined && url !== undefined) return report(context, [], "has both `command` and `url`; keep one");
  if (command === undefined && url === undefined) return report(context, [], "needs a `command` or a `url`");
  if (type !== undefined && (type === "stdio") === (command === undefined)) {
    report(context, ["type"], `does not match \`${command === undefined ? "url" : "command"}\``);
  }
}

function checkManifest(tools: readonly { name: string }[], context: Context): void {
  const seen = new Set<string>();
  tools.forEach(({ name }, index) => {
    if (seen.has(name)) report(context, [index, "name"], "is the name of another tool in this list");
    seen.add(name);
  });
}

function report(context: Context, path: (string | number)[], message: string): void {
  context.addIssue({ code: "custom", path, message });
}

function isWebAddress(address: string): boolean {
  if (address.startsWith("${")) return true;
  return /^https?:\/\//i.test(address) && (address.includes("${") || URL.canParse(address));
}
