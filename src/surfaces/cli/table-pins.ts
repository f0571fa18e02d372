import { type ArgumentSpec, type CommandGroup, toOptions } from "./command.js";
import { SERVER, TOOL } from "./table-arguments.js";

const ONE_TOOL: ArgumentSpec = { ...TOOL, syntax: "[tool]" };

export const pins: CommandGroup = {
  name: "pins",
  summary: "Compare the tool definitions of servers with the approved ones, and approve changes.",
  examples: [
    "anygpt mcp pins list --changed",
    "anygpt mcp pins diff github",
    "anygpt mcp pins approve github create_issue",
  ],
  commands: [
    {
      name: "list",
      summary: "List the recorded tool definitions, and whether they are approved.",
      options: toOptions({
        "--server <name>": { summary: "only definitions of this server", completes: "server" },
        "--changed": "only definitions that are not approved",
      }),
      examples: ["anygpt mcp pins list", "anygpt mcp pins list --server github --changed"],
      load: async () => (await import("./commands/pins.js")).listPins,
    },
    {
      name: "diff",
      summary: "Show how tool definitions differ from the approved ones.",
      arguments: [SERVER, ONE_TOOL],
      examples: ["anygpt mcp pins diff github", "anygpt mcp pins diff github create_issue --json"],
      load: async () => (await import("./commands/pins.js")).diffPins,
    },
    {
      name: "approve",
      summary: "Show the differences, ask, and approve the current definition.",
      arguments: [SERVER, ONE_TOOL],
      options: toOptions({
        "--all": "approve all tools of the server that are not approved yet",
        "--hash <hash>": "approve only if `pins diff` still shows this hash",
        "--yes": "approve without asking; needs --hash",
      }),
      examples: ["anygpt mcp pins approve github create_issue", "anygpt mcp pins approve github --all"],
      load: async () => (await import("./commands/pins.js")).approvePins,
    },
  ],
};
