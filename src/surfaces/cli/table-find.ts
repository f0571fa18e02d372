import { type CommandSpec, toOptions } from "./command.js";

export const findSpec: CommandSpec = {
  name: "find",
  summary: "Find public servers to add, by what their tools do.",
  arguments: [{ syntax: "<query...>", summary: "what you want to do, in your own words" }],
  options: toOptions({
    "--limit <n>": {
      summary: "print at most this many servers (default: 5)",
      number: { min: 1, max: 50, integer: true },
    },
    "--online":
      "search the MCP registry (ANYGPT_REGISTRY_URL, else the official one) instead of the built-in directory",
  }),
  examples: [
    'anygpt mcp find "send an SMS"',
    'anygpt mcp find "query a postgres database" --limit 3',
    "anygpt mcp find trello --online",
    'anygpt mcp find "read my calendar" --json',
  ],
  load: async () => (await import("./commands/find.js")).find,
};
