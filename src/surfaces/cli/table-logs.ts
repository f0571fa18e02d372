import { type CommandSpec, toOptions } from "./command.js";
import { SERVER } from "./table-arguments.js";

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
