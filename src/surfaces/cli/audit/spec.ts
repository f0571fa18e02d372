import { type CommandSpec, toOptions } from "../command.js";

export const auditSpec: CommandSpec = {
  name: "audit",
  summary: "Show, follow or export the audit log of executed calls, or verify that it was not changed.",
  options: toOptions({
    "--since <when>": "only records since then: a time ago such as 90s, 30m, 1h, 7d or 2w, or a date and time (UTC)",
    "--until <when>": "only records before then, in the same format as --since",
    "--tool <id>": "only this tool, as SERVER:TOOL or as a pattern such as github:* or *delete*",
    "--actor <id>": "only calls of this actor",
    "--outcome <outcome>": "only this outcome: ok, tool_error, error, unknown or dry_run",
    "--kind <kind>": "only this kind: outcome, intent, note, rotation or all (default: all except intent)",
    "--request <id>": "all records of one request",
    "--limit <n>": {
      summary: "show at most this many of the newest records (default: 50)",
      number: { min: 1, max: 100_000, integer: true },
    },
    "--follow": "show new records as they are written, until Ctrl-C",
    "--export <file>": {
      summary: "write all records, including archived ones, to this file as JSON Lines",
      completes: "file",
    },
    "--force": "with --export: overwrite an existing file",
    "--verify": "verify every record, archive and checkpoint, and show the first that was changed",
  }),
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
