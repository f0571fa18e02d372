import type { CommandSpec } from "../command.js";

export const auditSpec: CommandSpec = {
  name: "audit",
  summary: "Show what was executed, by whom and how it ended, follow it, export it, or verify that nobody changed it.",
  options: [
    {
      flags: "--since <when>",
      summary: "from then on: a time ago such as 90s, 30m, 1h, 7d, 2w, or a date and time (UTC)",
    },
    { flags: "--until <when>", summary: "up to then, written the same way" },
    { flags: "--tool <id>", summary: "only this tool, server:tool; or a pattern such as github:* or *delete*" },
    { flags: "--actor <id>", summary: "only this actor" },
    { flags: "--outcome <outcome>", summary: "only ok, tool_error, error, unknown or dry_run" },
    {
      flags: "--kind <kind>",
      summary: "only outcome, intent, note or rotation; all for everything; default: everything but intents",
    },
    { flags: "--request <id>", summary: "everything about one request" },
    {
      flags: "--limit <n>",
      summary: "at most so many, the newest (default: 50)",
      number: { min: 1, max: 100_000, integer: true },
    },
    { flags: "--follow", summary: "go on showing records as they come, until interrupted" },
    {
      flags: "--export <file>",
      summary: "write the whole history, archives included, as one JSON object a line",
      completes: "file",
    },
    { flags: "--force", summary: "replace the file that --export names" },
    { flags: "--verify", summary: "check every record, archive and checkpoint; name the first that is not as written" },
  ],
  examples: [
    "anygpt mcp audit",
    "anygpt mcp audit --since 1h --outcome error",
    "anygpt mcp audit --tool 'github:*' --limit 10 --json",
    "anygpt mcp audit --follow",
    "anygpt mcp audit --verify",
    "anygpt mcp audit --export audit.jsonl",
  ],
  load: async () => (await import("../commands/audit.js")).audit,
};
