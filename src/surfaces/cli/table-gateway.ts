import { type CommandGroup, type CommandSpec, toOptions } from "./command.js";
import { SERVER } from "./table-arguments.js";

export const daemon: CommandGroup = {
  name: "daemon",
  summary: "Show, start and stop the background gateway that keeps servers running between commands.",
  examples: ["anygpt mcp daemon status", "anygpt mcp daemon stop --all", "anygpt mcp daemon logs -f"],
  commands: [
    {
      name: "status",
      summary: "List the background gateways with their folders, servers, memory and idle time.",
      examples: ["anygpt mcp daemon status", "anygpt mcp daemon status --json"],
      load: async () => (await import("./commands/daemon.js")).daemonStatus,
    },
    {
      name: "start",
      summary: "Start the background gateway for this folder and configuration, unless it is already running.",
      examples: ["anygpt mcp daemon start"],
      load: async () => (await import("./commands/daemon.js")).daemonStart,
    },
    {
      name: "stop",
      summary:
        "Stop the background gateway for this folder and configuration. Running commands get 10 seconds to finish.",
      options: toOptions({ "--all": "stop the background gateways of all folders and configurations" }),
      examples: ["anygpt mcp daemon stop", "anygpt mcp daemon stop --all"],
      load: async () => (await import("./commands/daemon.js")).daemonStop,
    },
    {
      name: "restart",
      summary: "Restart the background gateway for this folder and configuration.",
      examples: ["anygpt mcp daemon restart"],
      load: async () => (await import("./commands/daemon.js")).daemonRestart,
    },
    {
      name: "logs",
      summary: "Print the log of the background gateway for this folder and configuration.",
      options: toOptions({
        "-f, --follow": "print new lines as they are written, until Ctrl-C",
        "-n, --lines <n>": {
          summary: "print the last n lines (default: 50)",
          number: { min: 1, max: 100_000, integer: true },
        },
      }),
      examples: ["anygpt mcp daemon logs", "anygpt mcp daemon logs -f -n 200"],
      load: async () => (await import("./commands/daemon.js")).daemonLogs,
    },
  ],
};

export const logsSpec: CommandSpec = {
  name: "logs",
  summary: "Show what a server wrote to its standard error.",
  arguments: [SERVER],
  options: toOptions({
    "-n, --lines <count>": {
      summary: "print this many of the last lines (default: 50)",
      number: { min: 1, max: 100_000, integer: true },
    },
    "-f, --follow": "print new lines as they are written, until Ctrl-C",
  }),
  examples: ["anygpt mcp logs github", "anygpt mcp logs github -n 200", "anygpt mcp logs github --follow"],
  load: async () => (await import("./commands/logs.js")).logs,
};

export const topSpec: CommandSpec = {
  name: "top",
  summary: "Show a live view of servers, calls, latencies, errors and saved tokens.",
  options: toOptions({
    "--url <address>":
      "URL of a gateway that is served over HTTP (default: the one on this machine, else the audit log of all gateways on this machine)",
    "--token-file <file>": {
      summary: "file with the token for that gateway (default: the token of this machine)",
      completes: "file",
    },
    "--interval <seconds>": { summary: "time between updates (default: 2)", number: { min: 0.2, max: 3600 } },
    "--once": "print the view once and exit",
  }),
  examples: [
    "anygpt mcp top",
    "anygpt mcp top --once --json",
    "anygpt mcp top --url http://127.0.0.1:7332 --interval 1",
  ],
  load: async () => (await import("./commands/top.js")).top,
};

export const tokens: CommandGroup = {
  name: "token",
  summary: "Create access tokens for clients of a gateway that is served over HTTP.",
  examples: ["anygpt mcp token create ci --scope 'github:read' --expires 30d"],
  commands: [
    {
      name: "create",
      summary: "Create a token, show it once, and print the entry with its hash for http.tokens.",
      arguments: [{ syntax: "<name>", summary: "name of the client; it appears as token:NAME in the audit log" }],
      options: toOptions({
        "--scope <scopes...>": "scopes of the client; * grants everything",
        "--view <name>": "view that limits the servers and tools of the client (default: all)",
        "--expires <when>": "when the token expires: 30d, 12h, 4w or a date (default: never)",
      }),
      examples: [
        "anygpt mcp token create ci",
        "anygpt mcp token create ci --scope 'github:read' 'jira:*' --view office --expires 30d",
        "anygpt mcp token create ci --json",
      ],
      load: async () => (await import("./commands/token.js")).createToken,
    },
    {
      name: "hash",
      summary: "Print the hash of your own token, which is read from standard input.",
      examples: ["openssl rand -base64 33 | tee token.txt | anygpt mcp token hash"],
      load: async () => (await import("./commands/token.js")).printHash,
    },
  ],
};
