import type { CommandSpec } from "./command.js";

export const topSpec: CommandSpec = {
  name: "top",
  summary: "Watch servers, calls, latencies, errors and spared tokens as they change.",
  options: [
    {
      flags: "--url <address>",
      summary: "of a gateway that is served over HTTP (default: this machine's, else the record of all its gateways)",
    },
    { flags: "--token-file <file>", summary: "holds the token for it (default: this machine's)", completes: "file" },
    {
      flags: "--interval <seconds>",
      summary: "how long each picture stays (default: 2)",
      number: { min: 0.2, max: 3600 },
    },
    { flags: "--once", summary: "show one picture and end" },
  ],
  examples: [
    "anygpt mcp top",
    "anygpt mcp top --once --json",
    "anygpt mcp top --url http://127.0.0.1:7332 --interval 1",
  ],
  load: async () => (await import("./commands/top.js")).top,
};
