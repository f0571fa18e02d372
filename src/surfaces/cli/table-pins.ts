import type { ArgumentSpec, CommandGroup } from "./command.js";
import { SERVER, TOOL } from "./table-arguments.js";

const ONE_TOOL: ArgumentSpec = { ...TOOL, syntax: "[tool]" };

export const pins: CommandGroup = {
  name: "pins",
  summary: "Compare what servers say of their tools with what was approved, and approve it.",
  examples: [
    "anygpt mcp pins list --changed",
    "anygpt mcp pins diff github",
    "anygpt mcp pins approve github create_issue",
  ],
  commands: [
    {
      name: "list",
      summary: "List the definitions that were seen, and whether they are approved.",
      options: [
        { flags: "--server <name>", summary: "only those of this server", completes: "server" },
        { flags: "--changed", summary: "only those that are not approved" },
      ],
      examples: ["anygpt mcp pins list", "anygpt mcp pins list --server github --changed"],
      load: async () => (await import("./commands/pins-list.js")).listPins,
    },
    {
      name: "diff",
      summary: "Show where definitions are not what was approved.",
      arguments: [SERVER, ONE_TOOL],
      examples: ["anygpt mcp pins diff github", "anygpt mcp pins diff github create_issue --json"],
      load: async () => (await import("./commands/pins-diff.js")).diffPins,
    },
    {
      name: "approve",
      summary: "Show the difference, ask, and approve the definition as it is now.",
      arguments: [SERVER, ONE_TOOL],
      options: [
        { flags: "--all", summary: "all tools of the server that are not approved, in place of one" },
        { flags: "--hash <hash>", summary: "only if it is still what `pins diff` has shown with this hash" },
        { flags: "--yes", summary: "approve without asking; needs --hash" },
      ],
      examples: ["anygpt mcp pins approve github create_issue", "anygpt mcp pins approve github --all"],
      load: async () => (await import("./commands/pins-approve.js")).approvePins,
    },
  ],
};
