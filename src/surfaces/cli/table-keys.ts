import type { ArgumentSpec, CommandGroup, CommandSpec, OptionSpec } from "./command.js";
import { EXECUTION_OPTIONS } from "./table-execution.js";

const YES: OptionSpec = { flags: "--yes", summary: "do it without asking" };
const TOOL_IDS: ArgumentSpec = { syntax: "[tools...]", summary: "only these tool ids", completes: "tool-file" };
const KEY: ArgumentSpec = { syntax: "<key>", summary: "id of a key", completes: "key" };

export const keys: CommandGroup = {
  name: "keys",
  summary: "Make, show, trust and revoke the keys that tool files are signed with.",
  examples: ["anygpt mcp keys init", "anygpt mcp keys list", "anygpt mcp keys trust ann.pub"],
  commands: [
    {
      name: "init",
      summary: "Make a key of your own, or a new one in its place.",
      options: [
        { flags: "--name <name>", summary: "what others see it is called (default: user@host)" },
        { flags: "--rotate", summary: "make a new key; the one before stays good for a while" },
        { flags: "--overlap <span>", summary: "how long it stays good: 30d, 12h, 4w or 0 (default: 30d)" },
      ],
      examples: ["anygpt mcp keys init", "anygpt mcp keys init --rotate --overlap 14d"],
      load: async () => (await import("./commands/keys-init.js")).initKey,
    },
    {
      name: "list",
      summary: "List your own keys and those you trust, with fingerprints, and what is wrong with any.",
      examples: ["anygpt mcp keys list", "anygpt mcp keys list --json"],
      load: async () => (await import("./commands/keys-list.js")).listKeys,
    },
    {
      name: "export",
      summary: "Print the public line of a key, for whoever is to trust it.",
      arguments: [{ ...KEY, syntax: "[key]", summary: "id of a key (default: the one that signs)" }],
      examples: ["anygpt mcp keys export > ann.pub"],
      load: async () => (await import("./commands/keys-export.js")).exportKey,
    },
    {
      name: "trust",
      summary: "Show somebody's public key, ask, and trust what it signs from now on.",
      arguments: [{ syntax: "<key...>", summary: "the line, a file that holds it, or - for standard input" }],
      options: [YES],
      examples: ["anygpt mcp keys trust ann.pub", "cat ann.pub | anygpt mcp keys trust - --yes"],
      load: async () => (await import("./commands/keys-trust.js")).trustKey,
    },
    {
      name: "revoke",
      summary: "Trust a key never again, your own or somebody's.",
      arguments: [KEY],
      options: [YES],
      examples: ["anygpt mcp keys revoke 3f1c9a0e5b7d42f8a6c1e09b7d3f5a2c"],
      load: async () => (await import("./commands/keys-revoke.js")).revokeKey,
    },
  ],
};

export const sign: CommandSpec = {
  name: "sign",
  summary: "Show what tool files reach and start, and sign them with your key.",
  arguments: [{ syntax: "[files...]", summary: "tool ids, or paths of tool files", completes: "tool-file" }],
  options: [
    { flags: "--all", summary: "all tool files that your own keys have signed, expired ones too" },
    { flags: "--key <key>", summary: "sign with this key of yours (default: the newest)", completes: "key" },
    YES,
  ],
  examples: ["anygpt mcp sign context7_query_docs", "anygpt mcp sign --all"],
  load: async () => (await import("./commands/sign.js")).signFiles,
};

export const verify: CommandSpec = {
  name: "verify",
  summary: "Tell of each tool file who vouches for it, or why it is refused; exit with 2 if any is.",
  arguments: [TOOL_IDS],
  options: [
    { flags: "--accept", summary: "take files that are older than what was here before, for good" },
    { ...YES, summary: "with --accept: do it without asking" },
  ],
  examples: ["anygpt mcp verify", "anygpt mcp verify --json", "anygpt mcp verify context7_query_docs --accept"],
  load: async () => (await import("./commands/verify.js")).verifyFiles,
};

export const run: CommandSpec = {
  name: "run",
  usesServers: true,
  summary: "Execute the tool of a tool file.",
  arguments: [
    { syntax: "<tool_id>", summary: "id of the tool file", completes: "tool-file" },
    { syntax: "[parameters...]", summary: "NAME=VALUE, by the tool's types, or NAME:=JSON" },
  ],
  options: [
    { flags: "--params <json>", summary: "all parameters as a JSON object (default: {})" },
    {
      flags: "--params-file <file>",
      summary: "read them from a file, or from standard input with -",
      completes: "file",
    },
    ...EXECUTION_OPTIONS,
  ],
  examples: [
    "anygpt mcp run context7_resolve_library_id libraryName=react",
    `anygpt mcp run brave_web_search --params '{"query":"mcp","count":5}' --json`,
    'anygpt mcp run filesystem_read_multiple_files \'paths:=["a.txt","b.txt"]\'',
  ],
  load: async () => (await import("./commands/run.js")).runTool,
};

/** What `anygpt mcp tools` does beside listing the tools of a server. */
export const toolsCommands: readonly CommandSpec[] = [
  {
    name: "export",
    summary: "Write tool files and the public keys they are signed with into one archive or folder.",
    arguments: [{ ...TOOL_IDS, summary: "only these tool ids (default: all)" }],
    options: [
      { flags: "--server <name>", summary: "only the tool files of this server", completes: "server" },
      {
        flags: "--output <path>",
        summary: "archive that ends in .tgz, or a new folder",
        isRequired: true,
        completes: "file",
      },
      { flags: "--force", summary: "replace an archive that is there" },
    ],
    examples: [
      "anygpt mcp tools export --server context7 --output context7.tgz",
      "anygpt mcp tools export brave_web_search --output ./shared-tools",
    ],
    load: async () => (await import("./commands/tools-export.js")).exportTools,
  },
  {
    name: "install",
    summary: "Check an export, show what would be trusted and what it reaches and starts, ask, and install it.",
    arguments: [{ syntax: "<archive>", summary: "archive or folder made with export" }],
    options: [
      {
        flags: "--folder <folder>",
        summary: "where the files go (default: the first of toolFiles.folders)",
        completes: "file",
      },
      { ...YES, summary: "do it without asking; a key that is new here needs --trust too" },
      { flags: "--trust <keys...>", summary: "ids of keys that are to be trusted" },
    ],
    examples: [
      "anygpt mcp tools install context7.tgz",
      "anygpt mcp tools install context7.tgz --yes --trust 3f1c9a0e5b7d42f8a6c1e09b7d3f5a2c",
    ],
    load: async () => (await import("./commands/tools-install.js")).installTools,
  },
];
