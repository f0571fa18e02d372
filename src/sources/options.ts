import { z } from "zod";
import { environmentNames } from "../util/environment-names.js";
import { checkJsonValue } from "../util/json/check-value.js";

const LONGEST_TEXT = 8192;

/** A colon would make `server:tool` ambiguous, a slash or a leading dot a path, a trailing space a twin. */
const SERVER_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._ -]{0,62}[\p{L}\p{M}\p{N}._-])?$/u;

export const serverName = z
  .string()
  .regex(
    SERVER_NAME,
    "a server's name has 1 to 64 letters, digits, dots, dashes, underscores or spaces, and starts with a letter or digit",
  );

const text = z
  .string()
  .max(LONGEST_TEXT)
  .refine((value) => !value.includes("\0"), "must not hold a NUL character");

const connectionType = z.enum(["stdio", "http", "sse", "streamable-http", "streamableHttp"]);

const connectionFields = {
  type: connectionType
    .optional()
    .describe(
      "`stdio` starts a program, `http` is Streamable HTTP, `sse` the legacy transport. Told from `command` or `url` when left out.",
    ),
  command: text.min(1).optional().describe("The program to start, without a shell."),
  args: z.array(text).optional().describe("Its arguments, one by one."),
  env: z
    .record(z.string().regex(/^[^=\s]+$/, "is not the name of an environment variable"), text)
    .optional()
    .describe(
      "Environment variables for it. It gets these, a small safe set, and what `inheritEnv` names of the gateway's own.",
    ),
  envFile: text
    .min(1)
    .optional()
    .describe("A file of more environment variables for it, as `.env` files are written; those of `env` win."),
  cwd: text
    .min(1)
    .optional()
    .describe(
      "Folder to start it in, relative to the file that says so. Without it: the home folder for your own configuration, the project for a project's, the file's folder for one that you named.",
    ),
  url: text
    .refine(isWebAddress, "must be a web address that starts with http:// or https://")
    .optional()
    .describe("Where a remote server answers."),
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/, "is not the name of an HTTP header"), text)
    .optional()
    .describe("HTTP headers sent with every request to it."),
};

const ownFields = {
  ...connectionFields,
  inheritEnv: environmentNames
    .optional()
    .describe(
      "Variables of the gateway's own environment that the program gets too, by name or pattern: `AWS_*`, or `*` for all. Wins over `upstreams.inheritEnv`.",
    ),
  oauth: z
    .strictObject({
      clientId: text.min(1).optional().describe("The client that you have registered there by hand."),
      clientSecret: text.min(1).optional().describe("Its secret, as `${VARIABLE}`."),
      clientMetadataUrl: text
        .refine(isWebAddress, "must be a web address that starts with http:// or https://")
        .optional()
        .describe("Address of a document that describes this gateway as a client, for servers that read such."),
      issuer: text
        .refine(isWebAddress, "must be a web address that starts with http:// or https://")
        .optional()
        .describe("The authorization server, in place of the one that the server names."),
      scopes: z.array(text.min(1)).max(100).optional().describe("What to ask for, in place of what the server asks."),
    })
    .optional()
    .describe("How to sign in where the server does not tell all of it; `anygpt mcp auth login` does it."),
};

const connectionEntry = z.strictObject(ownFields).superRefine(checkConnection);

const manifestTool = z.strictObject({
  name: text.min(1).max(256).describe("The tool's name at its server."),
  description: text.optional().describe("What the tool does."),
  inputSchema: z
    .record(z.string(), z.unknown())
    // Programs and YAML can write what JSON cannot hold, and what cannot be hashed cannot be pinned.
    .refine((schema) => checkJsonValue(schema).kind === "value", { error: "must be a JSON Schema" })
    .optional()
    .describe("JSON Schema of its arguments."),
});

const commonFields = {
  description: text.optional().describe("What the server is for; search reads it too."),
  enabled: z
    .boolean()
    .default(true)
    .describe(
      "`false` leaves the server out. An entry with nothing else leaves out the server of that name that a source has.",
    ),
  tools: z
    .array(manifestTool)
    .max(10_000)
    .superRefine(checkManifest)
    .optional()
    .describe("Tools known beforehand: searchable before the server was ever started, replaced by its live list."),
  connection: connectionEntry.optional().describe("How to reach the server; its keys may also stand beside `name`."),
  ...ownFields,
};

/** A server in a list, under its `name`. */
export const namedServerEntry = z
  .strictObject({
    name: serverName.describe("Unique among all servers; the first half of `server:tool`."),
    ...commonFields,
  })
  .superRefine(checkServer);

/** A server in a map, whose key names it; a `name` inside is a title for people. */
export const keyedServerEntry = z
  .strictObject({ name: text.optional().describe("A title; used where there is no description."), ...commonFields })
  .superRefine(checkServer);

/** A server of another program, its keys already spelt our way. */
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

/** The same section under the name that most MCP clients use. */
export const mcpServersOptions = serverCollection
  .optional()
  .describe("Another name for `servers`, as MCP clients write it. A configuration has one of the two.");

/** The programs whose files are read; `clients/table.ts` has the same. */
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

export type ClientId = (typeof CLIENT_IDS)[number];

const sourceEntry = z
  .strictObject({
    type: z
      .enum(["custom", ...CLIENT_IDS])
      .describe(
        "`custom` is a YAML file with `servers`; the others are the files of those programs (docs/sources.md).",
      ),
    path: text
      .min(1)
      .optional()
      .describe(
        "The file. `~` is the home folder; else relative to the configuration file. When left out, the files that the program itself reads.",
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
    "Files to learn more servers from. The first to name a server wins. `all` reads the files of every MCP client on this machine, as without a configuration. A configuration file that has none of `servers`, `mcpServers`, `sources`, `adapters` and `toolFiles` is read as with `all`.",
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

/** Whether an entry only switches off the server of that name that a source has. */
export function isSwitch({ enabled, command, url, connection }: CheckedEntry): boolean {
  return !enabled && command === undefined && url === undefined && connection === undefined;
}

function checkServer(entry: CheckedEntry, context: Context): void {
  if (isSwitch(entry)) return;
  if (entry.connection === undefined) return checkConnection(entry, context);
  for (const key of Object.keys(ownFields)) {
    if (entry[key as keyof ConnectionEntry] === undefined) continue;
    report(context, [key], "stands beside `connection`; write it inside");
  }
}

function checkConnection(entry: ConnectionEntry, context: Context): void {
  checkEndpoint(entry, context);
  const stdio = entry.command !== undefined;
  if (stdio === (entry.url !== undefined)) return;
  const misplaced = stdio
    ? (["headers", "oauth"] as const)
    : (["args", "env", "envFile", "cwd", "inheritEnv"] as const);
  for (const key of misplaced) {
    if (entry[key] !== undefined) report(context, [key], `belongs to a server with \`${stdio ? "url" : "command"}\``);
  }
}

function checkEndpoint(entry: ConnectionEntry, context: Context): void {
  const { command, url, type } = entry;
  if (command !== undefined && url !== undefined) return report(context, [], "has both `command` and `url`; keep one");
  if (command === undefined && url === undefined) return report(context, [], "needs a `command` or a `url`");
  if (type !== undefined && (type === "stdio") === (command === undefined)) {
    report(context, ["type"], `does not go with \`${command === undefined ? "url" : "command"}\``);
  }
}

function checkManifest(tools: readonly { name: string }[], context: Context): void {
  const seen = new Set<string>();
  tools.forEach(({ name }, index) => {
    if (seen.has(name)) report(context, [index, "name"], "names the same tool again");
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
