import { type ArgumentSpec, type CommandSpec, type OptionTable, toOptions } from "./command.js";

const PROJECT: OptionTable = {
  "--project": "change the project configuration in this folder instead of your own configuration",
};
const OWN: ArgumentSpec = { syntax: "<names...>", summary: "names of servers", completes: "own-server" };
const ANY: ArgumentSpec = { syntax: "<names...>", summary: "names of servers", completes: "server" };
const OFF: ArgumentSpec = { syntax: "<names...>", summary: "names of servers", completes: "disabled-server" };

export const serverCommands: readonly CommandSpec[] = [
  {
    name: "init",
    summary: "Show the servers of your MCP clients, write a first configuration, and connect clients to the gateway.",
    options: toOptions({
      "--client <names...>": {
        summary: "connect these clients, or all; their servers move into your configuration",
        completes: "client",
      },
      "--project":
        "write a project configuration in this folder instead of your own configuration, and connect no client",
      "--yes": "write the configuration and connect the clients of --client without asking",
    }),
    examples: ["anygpt mcp init", "anygpt mcp init --yes", "anygpt mcp init --yes --client cursor"],
    load: async () => (await import("./servers/init.js")).init,
  },
  {
    name: "add",
    summary:
      "Add a server to your configuration and connect to it once. The server can be a command, a URL, pasted JSON or a public server.",
    arguments: [
      {
        syntax: "[name]",
        summary:
          "name for the server; or a public server as listed by `anygpt mcp find`, or JSON with one or more servers, or - for JSON on standard input",
      },
      { syntax: "[command...]", summary: "the server's command after --, its URL, or its JSON" },
    ],
    options: toOptions({
      "--env <pair>": {
        summary:
          "environment variable for the command: NAME=VALUE, or NAME to pass the variable of that name; may be repeated",
        isRepeated: true,
      },
      "--cwd <folder>": { summary: "working directory of the command", completes: "file" },
      "--header <pair>": { summary: "HTTP header for the URL, as 'Name: value'; may be repeated", isRepeated: true },
      "--transport <kind>": { summary: "transport for the URL (default: http)", completes: ["http", "sse"] },
      "--as <name>": "name for a public server (default: short form of its package name)",
      "--replace": "replace a server of the same name",
      ...PROJECT,
      "--no-check": "do not connect to the server afterwards",
      "--yes": "write without asking; required for pasted JSON and public servers if there is no terminal",
    }),
    examples: [
      "anygpt mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/documents",
      "anygpt mcp add github --env GITHUB_TOKEN -- npx -y @modelcontextprotocol/server-github",
      "anygpt mcp add tracker https://mcp.example.com/mcp --header 'Authorization: Bearer ${TRACKER_TOKEN}'",
      "anygpt mcp add @delorenj/mcp-server-trello",
      `anygpt mcp add '{ "mcpServers": { "time": { "command": "uvx", "args": ["mcp-server-time"] } } }'`,
      "anygpt mcp add - --yes < servers.json",
    ],
    unknownOptionHint: "Options of the server's command go after `--`: anygpt mcp add NAME -- COMMAND -y ….",
    load: async () => (await import("./servers/add.js")).addCommand,
  },
  {
    name: "remove",
    summary: "Remove servers from your configuration.",
    arguments: [OWN],
    options: toOptions({ ...PROJECT }),
    examples: ["anygpt mcp remove files", "anygpt mcp remove files tracker"],
    load: async () => (await import("./servers/change.js")).removeCommand,
  },
  {
    name: "enable",
    summary: "Enable servers that are disabled.",
    arguments: [OFF],
    options: toOptions({ ...PROJECT }),
    examples: ["anygpt mcp enable github"],
    load: async () => (await import("./servers/change.js")).enableServer,
  },
  {
    name: "disable",
    summary: "Disable servers, including those that come from an MCP client's file.",
    arguments: [ANY],
    options: toOptions({ ...PROJECT }),
    examples: ["anygpt mcp disable github"],
    load: async () => (await import("./servers/change.js")).disableServer,
  },
  {
    name: "edit",
    summary: "Open your configuration in $VISUAL or $EDITOR, and validate it afterwards.",
    options: toOptions({ ...PROJECT }),
    examples: ["anygpt mcp edit", "EDITOR='code --wait' anygpt mcp edit"],
    load: async () => (await import("./servers/edit.js")).editConfiguration,
  },
  {
    name: "undo",
    summary:
      "Undo the last command that changed your configuration or an MCP client's file. Run `undo` again to undo the command before that.",
    options: toOptions({
      "--list": "list the commands that can be undone, newest first",
      "--force": "restore files even if they were changed afterwards; the current content is saved with the backups",
      "--yes": "do not ask for a confirmation",
    }),
    examples: ["anygpt mcp undo", "anygpt mcp undo --list"],
    load: async () => (await import("./servers/undo.js")).undo,
  },
];

export const discoverSpec: CommandSpec = {
  name: "discover",
  summary: "Read the tool list of a server, and write a signed file for each tool, to review and share.",
  arguments: [
    { syntax: "[words...]", summary: "a configured server, or the command of a server after --", completes: "server" },
  ],
  options: toOptions({
    "--url <address>": "URL of the server",
    "--command <line>": "the command that starts the server, as one quoted string",
    "--name <name>":
      "short name of the server (default: derived from the URL or command); enough on its own for a server that has tool files",
    "--auth-header <header>":
      "request header for the credential (default: the known header of the server, if there is one)",
    "--auth-env <variable>": "environment variable that contains the credential",
    "--header <pairs...>": "more request headers as NAME=VALUE; a value may contain ${VARIABLE}",
    "--folder <folder>": { summary: "folder of the tool files (default: .ai/tools/mcp)", completes: "file" },
    "--check":
      "write nothing; exit with code 1 if tool files differ from the server (without a server: check all tool files)",
    "--prune": "delete the files of tools that the server no longer has",
    "--force": "overwrite files that were edited by hand or are not signed",
    "--dry-run": "only show what would be written",
    "--yes": "write the files and add .ai/.env to .gitignore without asking",
  }),
  unknownOptionHint: "Options of the server's command go after `--`: anygpt mcp discover -- COMMAND -y ….",
  examples: [
    "anygpt mcp discover github",
    "anygpt mcp discover --url https://mcp.context7.com/mcp",
    "anygpt mcp discover --url https://mcp.brave.com/search --name brave --auth-header X-Subscription-Token --auth-env BRAVE_API_KEY",
    "anygpt mcp discover --name filesystem -- npx -y @modelcontextprotocol/server-filesystem ~/docs",
    "anygpt mcp discover --name context7",
    "anygpt mcp discover --check",
  ],
  load: async () => (await import("./commands/discover.js")).discoverTools,
};
