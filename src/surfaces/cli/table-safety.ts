import { type ArgumentSpec, type CommandGroup, type CommandSpec, type OptionTable, toOptions } from "./command.js";
import { SERVER, TOOL } from "./table-arguments.js";

const ONE_TOOL: ArgumentSpec = { ...TOOL, syntax: "[tool]" };

export const pins: CommandGroup = {
  name: "pins",
  summary: "Compare the tool definitions of servers with the approved ones, and approve changes.",
  examples: [
    "anygpt mcp pins list --changed",
    "anygpt mcp pins diff github",
    "anygpt mcp pins approve github create_issue",
  ],
  commands: [
    {
      name: "list",
      summary: "List the recorded tool definitions, and whether they are approved.",
      options: toOptions({
        "--server <name>": { summary: "only definitions of this server", completes: "server" },
        "--changed": "only definitions that are not approved",
      }),
      examples: ["anygpt mcp pins list", "anygpt mcp pins list --server github --changed"],
      load: async () => (await import("./commands/pins.js")).listPins,
    },
    {
      name: "diff",
      summary: "Show how tool definitions differ from the approved ones.",
      arguments: [SERVER, ONE_TOOL],
      examples: ["anygpt mcp pins diff github", "anygpt mcp pins diff github create_issue --json"],
      load: async () => (await import("./commands/pins.js")).diffPins,
    },
    {
      name: "approve",
      summary: "Show the differences, ask, and approve the current definition.",
      arguments: [SERVER, ONE_TOOL],
      options: toOptions({
        "--all": "approve all tools of the server that are not approved yet",
        "--hash <hash>": "approve only if `pins diff` still shows this hash",
        "--yes": "approve without asking; needs --hash",
      }),
      examples: ["anygpt mcp pins approve github create_issue", "anygpt mcp pins approve github --all"],
      load: async () => (await import("./commands/pins.js")).approvePins,
    },
  ],
};

const FILE: OptionTable = {
  "--file <file>": {
    summary: "the operations file (default: MCP_REGISTRY_PATH, gateway.registry or operations.json)",
    completes: "file",
  },
};

export const registry: CommandGroup = {
  name: "registry",
  summary: "Export the operations of all adapters and servers to a file, and check such a file.",
  examples: ["anygpt mcp registry export", "anygpt mcp registry check --file ./operations.json"],
  commands: [
    {
      name: "export",
      summary: "Write every operation with its parameters, risk and an example to a file.",
      options: toOptions({
        ...FILE,
        "--force": "also overwrite a file that is not an operations file",
      }),
      examples: ["anygpt mcp registry export", "anygpt mcp registry export --file ./operations.json --json"],
      load: async () => (await import("./commands/registry.js")).exportRegistry,
    },
    {
      name: "check",
      summary:
        "List the differences between an exported file and the live catalog. Exits with code 2 if there are any.",
      options: toOptions({ ...FILE }),
      examples: ["anygpt mcp registry check", "anygpt mcp registry check --file ./operations.json --json"],
      load: async () => (await import("./commands/registry.js")).checkExported,
    },
  ],
};

const NAME: ArgumentSpec = {
  syntax: "<name>",
  summary: "name of the secret, as in ${keychain:NAME}, or SERVICE/ACCOUNT",
};
const YES: OptionTable = { "--yes": "remove it without asking" };

export const secret: CommandGroup = {
  name: "secret",
  summary: "Manage secrets in the system keychain, to use as ${keychain:NAME} in your configuration.",
  examples: ["anygpt mcp secret set GITHUB_TOKEN", "anygpt mcp secret check 'op://Private/GitHub/token'"],
  commands: [
    {
      name: "set",
      summary: "Store a secret in the keychain. It is read from standard input, or typed without being shown.",
      arguments: [NAME],
      examples: ["anygpt mcp secret set GITHUB_TOKEN", "pbpaste | anygpt mcp secret set GITHUB_TOKEN"],
      load: async () => (await import("./commands/secret.js")).setSecret,
    },
    {
      name: "list",
      summary:
        "List the secret references in your configuration and the servers that use them. Does not read the secrets.",
      examples: ["anygpt mcp secret list"],
      load: async () => (await import("./commands/env.js")).listSecrets,
    },
    {
      name: "remove",
      summary: "Remove a secret from the keychain.",
      arguments: [NAME],
      options: toOptions({ ...YES }),
      examples: ["anygpt mcp secret remove GITHUB_TOKEN"],
      load: async () => (await import("./commands/secret.js")).removeSecret,
    },
    {
      name: "check",
      summary: "Check whether a secret reference can be read. The value is never printed.",
      arguments: [
        { syntax: "<reference...>", summary: "keychain:NAME, op://VAULT/ITEM/FIELD, vault:PATH#FIELD or command:…" },
      ],
      examples: ["anygpt mcp secret check keychain:GITHUB_TOKEN", "anygpt mcp secret check vault:secret/github#token"],
      load: async () => (await import("./commands/secret.js")).checkSecret,
    },
  ],
};

export const auditSpec: CommandSpec = {
  name: "audit",
  summary: "Show, follow or export the audit log of executed calls, or verify that it was not changed.",
  options: toOptions({
    "--since <when>": "only records since then: a time ago such as 90s, 30m, 1h, 7d or 2w, or a date and time (UTC)",
    "--until <when>": "only records before then, in the same format as --since",
    "--tool <id>": "only this tool, as SERVER:TOOL or as a pattern such as github:* or *delete*",
    "--actor <id>": "only calls by this actor",
    "--outcome <outcome>": "only this outcome: ok, tool_error, error, unknown or dry_run",
    "--kind <kind>": "only this kind: outcome, intent, note, rotation, gap or all (default: all except intent)",
    "--request <id>": "only the records of one request",
    "--limit <n>": {
      summary: "show at most this many of the newest records (default: 50)",
      number: { min: 1, max: 100_000, integer: true },
    },
    "--follow": "show new records as they are written, until Ctrl-C",
    "--export <file>": {
      summary: "write all records, including archived ones, to this file as JSON Lines",
      completes: "file",
    },
    "--force": "with --export: overwrite an existing file",
    "--verify": "verify every record, archive and checkpoint, and show the first that was changed",
  }),
  examples: [
    "anygpt mcp audit",
    "anygpt mcp audit --since 1h --outcome error",
    "anygpt mcp audit --tool 'github:*' --limit 10 --json",
    "anygpt mcp audit --follow",
    "anygpt mcp audit --verify",
    "anygpt mcp audit --export audit.jsonl",
  ],
  load: async () => (await import("./commands/audit.js")).audit,
};
