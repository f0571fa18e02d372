import { type CommandSpec, toOptions } from "./command.js";

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
