import { type CommandGroup, toOptions } from "./command.js";

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
      summary: "Start the background gateway for this folder and configuration, unless it is running.",
      examples: ["anygpt mcp daemon start"],
      load: async () => (await import("./commands/daemon.js")).daemonStart,
    },
    {
      name: "stop",
      summary:
        "Stop the background gateway for this folder and configuration. Running commands get 10 seconds to finish.",
      options: toOptions({
        "--all": "stop the background gateways of all folders and configurations",
      }),
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
