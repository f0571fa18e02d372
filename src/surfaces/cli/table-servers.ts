import type { ArgumentSpec, CommandSpec, OptionSpec } from "./command.js";

const PROJECT: OptionSpec = {
  flags: "--project",
  summary: "edit the configuration of the project in this folder instead of your own",
};
const OWN: ArgumentSpec = { syntax: "<names...>", summary: "names of servers", completes: "own-server" };
const ANY: ArgumentSpec = { syntax: "<names...>", summary: "names of servers", completes: "server" };
const OFF: ArgumentSpec = { syntax: "<names...>", summary: "names of servers", completes: "disabled-server" };

const add: CommandSpec = {
  name: "add",
  summary:
    "Add a server to your configuration, from a command, an address, pasted JSON or the directory of public servers, and connect to it once.",
  arguments: [
    {
      syntax: "[name]",
      summary:
        "name for the server; or a public server as `anygpt mcp find` lists it, JSON with one or more servers, or - for JSON on standard input",
    },
    { syntax: "[command...]", summary: "its command after --, its address, or its JSON" },
  ],
  options: [
    {
      flags: "--env <pair>",
      summary: "NAME=value for the command, or NAME for ${NAME}; may be repeated",
      isRepeated: true,
    },
    { flags: "--cwd <folder>", summary: "folder to start the command in", completes: "file" },
    { flags: "--header <pair>", summary: "'Name: value' for the address; may be repeated", isRepeated: true },
    {
      flags: "--transport <kind>",
      summary: "how the address is spoken to (default: http)",
      completes: ["http", "sse"],
    },
    { flags: "--as <name>", summary: "name for a public server (default: a short form of its package's name)" },
    { flags: "--replace", summary: "replace a server of the same name" },
    PROJECT,
    { flags: "--no-check", summary: "do not connect to the server afterwards" },
    {
      flags: "--yes",
      summary: "write without asking; pasted JSON and public servers need it where there is no terminal",
    },
  ],
  examples: [
    "anygpt mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/documents",
    "anygpt mcp add github --env GITHUB_TOKEN -- npx -y @modelcontextprotocol/server-github",
    "anygpt mcp add tracker https://mcp.example.com/mcp --header 'Authorization: Bearer ${TRACKER_TOKEN}'",
    "anygpt mcp add @delorenj/mcp-server-trello",
    `anygpt mcp add '{ "mcpServers": { "time": { "command": "uvx", "args": ["mcp-server-time"] } } }'`,
    "anygpt mcp add - --yes < servers.json",
  ],
  unknownOptionHint: "Options of the server's command go after `--`: anygpt mcp add NAME -- COMMAND -y ….",
  load: async () => (await import("./servers/add.js")).addServer,
};

const remove: CommandSpec = {
  name: "remove",
  summary: "Remove servers from your configuration.",
  arguments: [OWN],
  options: [PROJECT],
  examples: ["anygpt mcp remove files", "anygpt mcp remove files tracker"],
  load: async () => (await import("./servers/change.js")).removeServer,
};

const enable: CommandSpec = {
  name: "enable",
  summary: "Switch servers on again.",
  arguments: [OFF],
  options: [PROJECT],
  examples: ["anygpt mcp enable github"],
  load: async () => (await import("./servers/change.js")).enableServer,
};

const disable: CommandSpec = {
  name: "disable",
  summary: "Switch servers off, also those that come from an MCP client's file.",
  arguments: [ANY],
  options: [PROJECT],
  examples: ["anygpt mcp disable github"],
  load: async () => (await import("./servers/change.js")).disableServer,
};

const init: CommandSpec = {
  name: "init",
  summary:
    "Show the servers that your MCP clients have, write a first configuration, and connect clients to the gateway.",
  options: [
    {
      flags: "--client <names...>",
      summary: "connect only these clients, or all: their servers move into your configuration",
      completes: "client",
    },
    {
      flags: "--project",
      summary: "write the configuration of the project in this folder instead of your own; no client is connected",
    },
    { flags: "--yes", summary: "write the configuration and connect the clients of --client without asking" },
  ],
  examples: ["anygpt mcp init", "anygpt mcp init --yes", "anygpt mcp init --yes --client cursor"],
  load: async () => (await import("./servers/init.js")).init,
};

const edit: CommandSpec = {
  name: "edit",
  summary: "Open your configuration in $VISUAL or $EDITOR, and check it afterwards.",
  options: [PROJECT],
  examples: ["anygpt mcp edit", "EDITOR='code --wait' anygpt mcp edit"],
  load: async () => (await import("./servers/edit.js")).editConfiguration,
};

const undo: CommandSpec = {
  name: "undo",
  summary:
    "Undo the last command that wrote your configuration or an MCP client's file. Run it again for the one before.",
  options: [
    { flags: "--list", summary: "show what can be undone, the last first" },
    {
      flags: "--force",
      summary: "put a file back though it was changed since; what is in it is kept beside the backups",
    },
    { flags: "--yes", summary: "do not ask" },
  ],
  examples: ["anygpt mcp undo", "anygpt mcp undo --list"],
  load: async () => (await import("./servers/undo.js")).undo,
};

export const serverCommands: readonly CommandSpec[] = [init, add, remove, enable, disable, edit, undo];
