import { type ArgumentSpec, type CommandGroup, type CommandSpec, type OptionTable, toOptions } from "./command.js";
import { EXECUTION_OPTIONS } from "./table-execution.js";

const YES: OptionTable = { "--yes": "do not ask for a confirmation" };
const TOOL_IDS: ArgumentSpec = { syntax: "[tools...]", summary: "only these tool ids", completes: "tool-file" };
const KEY: ArgumentSpec = { syntax: "<key>", summary: "id of a key", completes: "key" };

export const keys: CommandGroup = {
  name: "keys",
  summary: "Create, show, trust and revoke the keys that sign tool files.",
  examples: ["anygpt mcp keys init", "anygpt mcp keys list", "anygpt mcp keys trust ann.pub"],
  commands: [
    {
      name: "init",
      summary: "Create your signing key, or replace it with a new one.",
      options: toOptions({
        "--name <name>": "name of the key that others see (default: user@host)",
        "--rotate": "create a new key; the previous one stays valid for the time of --overlap",
        "--overlap <span>": "how long the previous key stays valid: 30d, 12h, 4w or 0 (default: 30d)",
      }),
      examples: ["anygpt mcp keys init", "anygpt mcp keys init --rotate --overlap 14d"],
      load: async () => (await import("./commands/keys.js")).initKey,
    },
    {
      name: "list",
      summary: "List your own keys and the keys you trust, with fingerprints and problems.",
      examples: ["anygpt mcp keys list", "anygpt mcp keys list --json"],
      load: async () => (await import("./commands/keys.js")).listSigningKeys,
    },
    {
      name: "export",
      summary: "Print a public key as one line, to send to users who should trust it.",
      arguments: [{ ...KEY, syntax: "[key]", summary: "id of a key (default: your signing key)" }],
      examples: ["anygpt mcp keys export > ann.pub"],
      load: async () => (await import("./commands/keys.js")).exportKey,
    },
    {
      name: "trust",
      summary: "Show a public key, ask, and trust the tool files that it signs.",
      arguments: [
        {
          syntax: "<key...>",
          summary: "the line that `keys export` prints, a file that contains it, or - for standard input",
        },
      ],
      options: toOptions({ ...YES }),
      examples: ["anygpt mcp keys trust ann.pub", "cat ann.pub | anygpt mcp keys trust - --yes"],
      load: async () => (await import("./commands/keys.js")).trustKey,
    },
    {
      name: "revoke",
      summary: "Revoke a key permanently: your own or a trusted one.",
      arguments: [KEY],
      options: toOptions({ ...YES }),
      examples: ["anygpt mcp keys revoke 3f1c9a0e5b7d42f8a6c1e09b7d3f5a2c"],
      load: async () => (await import("./commands/keys.js")).revokeKey,
    },
  ],
};

export const signSpec: CommandSpec = {
  name: "sign",
  summary: "Show which servers and programs tool files use, and sign the files with your key.",
  arguments: [{ syntax: "[files...]", summary: "ids or paths of tool files", completes: "tool-file" }],
  options: toOptions({
    "--all": "sign again all tool files that your own keys have signed, including expired keys",
    "--key <key>": { summary: "sign with this key of your own (default: the newest)", completes: "key" },
    ...YES,
  }),
  examples: ["anygpt mcp sign context7_query_docs", "anygpt mcp sign --all"],
  load: async () => (await import("./commands/sign.js")).signFiles,
};

export const verifySpec: CommandSpec = {
  name: "verify",
  summary: "Show who has signed each tool file, or why it is rejected. Exits with code 2 if any file is rejected.",
  arguments: [TOOL_IDS],
  options: toOptions({
    "--accept": "from now on, accept files that are older than the version seen before",
    "--yes": "with --accept: accept them without asking",
  }),
  examples: ["anygpt mcp verify", "anygpt mcp verify --json", "anygpt mcp verify context7_query_docs --accept"],
  load: async () => (await import("./commands/verify.js")).verifyCommand,
};

export const run: CommandSpec = {
  name: "run",
  usesServers: true,
  summary: "Execute a tool that is described by a tool file.",
  arguments: [
    { syntax: "<tool_id>", summary: "id of the tool file", completes: "tool-file" },
    { syntax: "[parameters...]", summary: "NAME=VALUE, converted to the tool's types, or NAME:=JSON" },
  ],
  options: toOptions({
    "--params <json>": "all parameters as a JSON object (default: {})",
    "--params-file <file>": { summary: "read the parameters from a file; - reads standard input", completes: "file" },
    ...EXECUTION_OPTIONS,
  }),
  examples: [
    "anygpt mcp run context7_resolve_library_id libraryName=react",
    `anygpt mcp run brave_web_search --params '{"query":"mcp","count":5}' --json`,
    'anygpt mcp run filesystem_read_multiple_files \'paths:=["a.txt","b.txt"]\'',
  ],
  load: async () => (await import("./commands/execute.js")).runTool,
};

/** Subcommands of `anygpt mcp tools`. */
export const toolsCommands: readonly CommandSpec[] = [
  {
    name: "export",
    summary: "Write tool files, and the public keys that verify them, to an archive or a folder.",
    arguments: [{ ...TOOL_IDS, summary: "only these tool ids (default: all)" }],
    options: toOptions({
      "--server <name>": { summary: "only the tool files of this server", completes: "server" },
      "--output <path>": {
        summary: "archive with the extension .tgz, or a new folder",
        isRequired: true,
        completes: "file",
      },
      "--force": "overwrite an existing archive",
    }),
    examples: [
      "anygpt mcp tools export --server context7 --output context7.tgz",
      "anygpt mcp tools export brave_web_search --output ./shared-tools",
    ],
    load: async () => (await import("./commands/tools-archives.js")).exportTools,
  },
  {
    name: "install",
    summary: "Verify exported tool files, show their keys, servers and programs, ask, and install them.",
    arguments: [{ syntax: "<archive>", summary: "archive or folder written by `tools export`" }],
    options: toOptions({
      "--folder <folder>": {
        summary: "folder for the files (default: the first of toolFiles.folders)",
        completes: "file",
      },
      "--yes": "install without asking; a key that is not trusted yet also needs --trust",
      "--trust <keys...>": "ids of the keys to trust",
    }),
    examples: [
      "anygpt mcp tools install context7.tgz",
      "anygpt mcp tools install context7.tgz --yes --trust 3f1c9a0e5b7d42f8a6c1e09b7d3f5a2c",
    ],
    load: async () => (await import("./commands/tools-archives.js")).installTools,
  },
];
