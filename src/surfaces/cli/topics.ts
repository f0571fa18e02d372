// Commands grouped by task: the headings of the help, and the pages of `anygpt help TOPIC`.

export interface Topic {
  readonly name: string;
  readonly heading: string;
  readonly commands: readonly string[];
  /** Introduction of the topic's page. */
  readonly text: readonly string[];
  readonly examples: readonly string[];
}

export const TOPICS: readonly Topic[] = [
  {
    name: "start",
    heading: "Getting started",
    commands: ["init", "import", "list", "doctor"],
    text: [
      "Without a configuration file, the gateway uses the servers of the MCP clients on this machine.",
      "`import` copies them into your configuration file. With --client, it also replaces them with the gateway in the client's file.",
    ],
    examples: ["anygpt list", "anygpt doctor", "anygpt import --client cursor"],
  },
  {
    name: "use",
    heading: "Find and use tools",
    commands: ["search", "find", "tools", "inspect", "execute", "run"],
    text: [
      "`search` prints tools as SERVER:TOOL. `inspect` and `execute` accept this form.",
      "NAME=VALUE is converted to the type that the tool's schema declares for NAME. `anygpt help arguments` lists all forms.",
    ],
    examples: [
      'anygpt search "create an issue"',
      "anygpt inspect github:create_issue",
      'anygpt execute github:create_issue repo=me/app title="It crashes"',
    ],
  },
  {
    name: "servers",
    heading: "Manage servers",
    commands: [
      "add",
      "remove",
      "enable",
      "disable",
      "edit",
      "adapter",
      "discover",
      "auth",
      "config",
      "env",
      "secret",
      "logs",
      "undo",
    ],
    text: ["Servers come from your configuration file, and from the files of MCP clients that it lists as sources."],
    examples: ["anygpt config sources", "anygpt env", "anygpt logs github --follow"],
  },
  {
    name: "safety",
    heading: "Safety and audit",
    commands: ["approvals", "approve", "deny", "idempotency", "audit", "pins", "registry", "keys", "sign", "verify"],
    text: [
      "Destructive calls need a confirmation before they run. Every call is written to the audit log before its result is returned.",
    ],
    examples: ["anygpt approvals", "anygpt audit --since 1d", "anygpt audit --verify"],
  },
  {
    name: "team",
    heading: "Team server",
    commands: ["serve", "token", "top"],
    text: ["`serve` serves one MCP client over standard input and output, or many clients over HTTP with tokens."],
    examples: ["anygpt serve --http --port 8080", "anygpt top"],
  },
  {
    name: "maintenance",
    heading: "Maintenance",
    commands: ["daemon", "completion", "eval"],
    text: ["Manage the background gateway, set up shell completion, and measure search quality with your own queries."],
    examples: ['eval "$(anygpt completion bash)"'],
  },
];

/** The page `anygpt help arguments`. */
export const ARGUMENT_FORMS: readonly (readonly [form: string, meaning: string])[] = [
  ["NAME=VALUE", "a string; a number, true, false or null if the tool's schema declares that type"],
  ["NAME=A NAME=B", "the items of an array"],
  ["A.B=VALUE", "the member B of the object A"],
  ["NAME:=JSON", "any JSON value"],
  ["NAME=@FILE", "the content of a text file; write NAME=@@TEXT for a string that begins with @"],
  ["NAME:=@FILE", "the content of a JSON file"],
  ["@FILE", "a JSON file with all arguments as one object; @- reads standard input"],
];

export function topicOf(command: string): Topic | undefined {
  return TOPICS.find(({ commands }) => commands.includes(command));
}
