import type { ArgumentSpec, CommandGroup, CommandSpec, OptionSpec } from "./command.js";
import { TARGET } from "./table-arguments.js";

/** What every way of running a tool understands. */
export const EXECUTION_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--timeout <seconds>",
    summary: "give up after so long without progress (default: execution.timeoutMs of the configuration)",
    number: { min: 0.1, max: 900 },
  },
  { flags: "--stream", summary: "print progress and log messages as they come" },
  {
    flags: "--idempotency-key <key>",
    summary: "run once for this key: the same call again gets the first one's answer",
  },
  {
    flags: "--confirmed",
    summary:
      "for the repetition of a call that was refused with CONFIRMATION_REQUIRED or whose question was interrupted: run it",
  },
  {
    flags: "--yes",
    summary: "confirm this very call: no question is asked; where only a person may confirm, it needs a terminal",
  },
  { flags: "--dry-run", summary: "send nothing, and say what would happen" },
  { flags: "--raw", summary: "print the text of the result exactly as the tool gave it, and nothing else" },
  {
    flags: "-o, --output <file>",
    summary: "save images, audio and binary data in this file, several in numbered files; else save the text",
    completes: "file",
  },
  { flags: "--force", summary: "with --output: replace a file that exists" },
];

export const execute: CommandSpec = {
  name: "execute",
  usesServers: true,
  summary: "Execute a tool.",
  arguments: [
    TARGET,
    {
      syntax: "[arguments...]",
      summary: "the TOOL after a server; then NAME=VALUE, NAME:=JSON, NAME=@FILE, or @FILE for all of them",
      completes: "tool",
    },
  ],
  options: [
    { flags: "--args <json>", summary: "the tool's arguments as a JSON object (default: {})" },
    { flags: "--args-file <file>", summary: "read them from a file, or from standard input with -", completes: "file" },
    ...EXECUTION_OPTIONS,
  ],
  examples: [
    `anygpt mcp execute github:create_issue repo=owner/repo title="Bug report" labels=bug labels=ui`,
    "anygpt mcp execute github:create_issue @issue.json title=Crash body=@report.md",
    "anygpt mcp execute browser:screenshot url=https://example.com -o page.png",
    `anygpt mcp execute files:delete path=old.txt --yes --quiet`,
    `anygpt mcp execute github create_issue --args '{"repo":"owner/repo","title":"Bug report"}'`,
    `anygpt mcp execute filesystem read_file --args '{"path":"README.md"}' --json`,
    "anygpt mcp execute ai generate_text --args-file prompt.json --stream",
    `anygpt mcp execute github delete_repo --args '{"repo":"owner/old"}' --dry-run`,
    `anygpt mcp execute bank pay --args-file payment.json --idempotency-key invoice-2071`,
  ],
  load: async () => (await import("./commands/execute.js")).execute,
};

export const approvals: CommandSpec = {
  name: "approvals",
  summary: "List the calls that wait for a person's answer.",
  options: [{ flags: "--all", summary: "list those too that were answered, used or have expired" }],
  examples: ["anygpt mcp approvals", "anygpt mcp approvals --all --json"],
  load: async () => (await import("./commands/approvals.js")).approvals,
};

const approvalId: ArgumentSpec = {
  syntax: "<id>",
  summary: "id of the approval, or its first 8 characters or more",
  completes: "approval",
};

export const approve: CommandSpec = {
  name: "approve",
  summary: "Show exactly what a call would do and ask whether it may run, once. Needs a terminal.",
  arguments: [approvalId],
  examples: ["anygpt mcp approve ap_7k2m9q"],
  load: async () => (await import("./commands/approve.js")).approve,
};

export const deny: CommandSpec = {
  name: "deny",
  summary: "Refuse a call that waits for an answer.",
  arguments: [approvalId],
  examples: ["anygpt mcp deny ap_7k2m9q"],
  load: async () => (await import("./commands/approve.js")).deny,
};

export const idempotency: CommandGroup = {
  name: "idempotency",
  summary: "Show idempotency keys, and settle calls whose outcome nobody knows.",
  examples: ["anygpt mcp idempotency list", "anygpt mcp idempotency resolve 12 --committed"],
  commands: [
    {
      name: "list",
      summary: "List the keys that are remembered; those of unknown outcome first.",
      options: [
        {
          flags: "--state <state>",
          summary: "only these",
          completes: ["reserved", "dispatched", "completed", "failed", "unknown"],
        },
        { flags: "--key <key>", summary: "only calls with this key" },
      ],
      examples: ["anygpt mcp idempotency list", "anygpt mcp idempotency list --state unknown --json"],
      load: async () => (await import("./commands/idempotency.js")).listKeys,
    },
    {
      name: "resolve",
      summary:
        "Say how a call ended whose outcome nobody knows: it is on record, and decides whether it may run again.",
      arguments: [
        { syntax: "<id-or-key>", summary: "number of the call as listed, or its key where only one call has it" },
      ],
      options: [
        { flags: "--committed", summary: "it ran: it is never run again with this key" },
        { flags: "--not-committed", summary: "it did not run: the key is free again" },
      ],
      examples: [
        "anygpt mcp idempotency resolve 12 --committed",
        "anygpt mcp idempotency resolve invoice-2071 --not-committed",
      ],
      load: async () => (await import("./commands/idempotency.js")).resolveKey,
    },
  ],
};
