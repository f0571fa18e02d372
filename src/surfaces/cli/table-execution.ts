import { MAX_RESULT_TOKENS } from "../../model/call.js";
import { type ArgumentSpec, type CommandGroup, type CommandSpec, type OptionTable, toOptions } from "./command.js";
import { TARGET } from "./table-arguments.js";

/** Options that `execute` and `run` share. */
export const EXECUTION_OPTIONS: OptionTable = {
  "--timeout <seconds>": {
    summary: "stop waiting after this time without progress (default: execution.timeoutMs in the configuration)",
    number: { min: 0.1, max: 900 },
  },
  "--stream": "print progress and log messages as they arrive",
  "--idempotency-key <key>": "run at most once with this key: repeating the call returns the first result",
  "--confirmed": "confirm a repeated call that failed with CONFIRMATION_REQUIRED or whose question was interrupted",
  "--yes": "confirm this call without a question; needs a terminal if the policy requires a confirmation by a user",
  "--dry-run": "only show what the call would do, without sending it",
  "--select <expression>": "print only the part of the result that this JMESPath expression selects",
  "--max-tokens <n>": {
    summary:
      "shorten a result with more estimated tokens, at least 200, and show how to read the rest (default: 0, no limit)",
    number: { min: 0, max: MAX_RESULT_TOKENS, integer: true },
  },
  "--raw": "print only the text of the result, exactly as the tool returned it",
  "-o, --output <file>": {
    summary:
      "save the images, audio and binary data of the result in this file (numbered files if there are several), or its text if it has none",
    completes: "file",
  },
  "--force": "with --output: overwrite an existing file",
};

export const executeSpec: CommandSpec = {
  name: "execute",
  usesServers: true,
  summary: "Execute a tool.",
  arguments: [
    TARGET,
    {
      syntax: "[arguments...]",
      summary:
        "TOOL if the first argument is a server; then NAME=VALUE, NAME:=JSON, NAME=@FILE, or @FILE for all arguments",
      completes: "tool",
    },
  ],
  options: toOptions({
    "--args <json>": "the tool's arguments as a JSON object (default: {})",
    "--args-file <file>": { summary: "read the arguments from a file; - reads standard input", completes: "file" },
    ...EXECUTION_OPTIONS,
  }),
  examples: [
    `anygpt mcp execute github:create_issue repo=owner/repo title="Bug report" labels=bug labels=ui`,
    "anygpt mcp execute github:create_issue @issue.json title=Crash body=@report.md",
    "anygpt mcp execute browser:screenshot url=https://example.com -o page.png",
    `anygpt mcp execute github:list_issues repo=owner/repo --select "[].{title: title, state: state}"`,
    `anygpt mcp execute files:delete path=old.txt --yes --quiet`,
    `anygpt mcp execute github create_issue --args '{"repo":"owner/repo","title":"Bug report"}'`,
    `anygpt mcp execute filesystem read_file --args '{"path":"README.md"}' --json`,
    "anygpt mcp execute ai generate_text --args-file prompt.json --stream",
    `anygpt mcp execute github delete_repo --args '{"repo":"owner/old"}' --dry-run`,
    `anygpt mcp execute bank pay --args-file payment.json --idempotency-key invoice-2071`,
  ],
  load: async () => (await import("./commands/execute.js")).execute,
};

export const approvalsSpec: CommandSpec = {
  name: "approvals",
  summary: "List the calls that wait for approval.",
  options: toOptions({ "--all": "also list approved, denied, used and expired approvals" }),
  examples: ["anygpt mcp approvals", "anygpt mcp approvals --all --json"],
  load: async () => (await import("./commands/approvals.js")).approvals,
};

const approvalId: ArgumentSpec = {
  syntax: "<id>",
  summary: "id of the approval, or at least its first 8 characters",
  completes: "approval",
};

export const approveSpec: CommandSpec = {
  name: "approve",
  summary: "Show a waiting call in full and ask whether it may run once. Needs a terminal.",
  arguments: [approvalId],
  examples: ["anygpt mcp approve ap_7k2m9q"],
  load: async () => (await import("./commands/approvals.js")).approve,
};

export const denySpec: CommandSpec = {
  name: "deny",
  summary: "Deny a call that waits for approval.",
  arguments: [approvalId],
  examples: ["anygpt mcp deny ap_7k2m9q"],
  load: async () => (await import("./commands/approvals.js")).deny,
};

export const idempotency: CommandGroup = {
  name: "idempotency",
  summary: "Show idempotency keys, and resolve calls with an unknown outcome.",
  examples: ["anygpt mcp idempotency list", "anygpt mcp idempotency resolve 12 --committed"],
  commands: [
    {
      name: "list",
      summary: "List the stored idempotency keys; those with an unknown outcome come first.",
      options: toOptions({
        "--state <state>": {
          summary: "only keys in this state",
          completes: ["reserved", "dispatched", "completed", "failed", "unknown"],
        },
        "--key <key>": "only calls with this idempotency key",
      }),
      examples: ["anygpt mcp idempotency list", "anygpt mcp idempotency list --state unknown --json"],
      load: async () => (await import("./commands/idempotency.js")).listIdempotencyKeys,
    },
    {
      name: "resolve",
      summary:
        "Record whether a call with an unknown outcome ran. If it did not, it may run again with the same idempotency key.",
      arguments: [
        {
          syntax: "<id-or-key>",
          summary: "number of the call in `idempotency list`, or its idempotency key if only one call has that key",
        },
      ],
      options: toOptions({
        "--committed": "the call ran: it never runs again with this key",
        "--not-committed": "the call did not run: the key can be used again",
      }),
      examples: [
        "anygpt mcp idempotency resolve 12 --committed",
        "anygpt mcp idempotency resolve invoice-2071 --not-committed",
      ],
      load: async () => (await import("./commands/idempotency.js")).resolveKey,
    },
  ],
};

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
