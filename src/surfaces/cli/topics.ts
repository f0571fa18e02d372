// The commands by what people want to do: the headings of the help, and the pages of `anygpt help TOPIC`.

export interface Topic {
  readonly name: string;
  readonly heading: string;
  readonly commands: readonly string[];
  /** What the page of the topic says before its commands. */
  readonly text: readonly string[];
  readonly examples: readonly string[];
}

export const TOPICS: readonly Topic[] = [
  {
    name: "start",
    heading: "Getting started",
    commands: ["init", "import", "list", "doctor"],
    text: [
      "Without a configuration the servers of the MCP clients on this machine are used.",
      "`import` takes them over into a configuration of your own, and can put the gateway into the clients in their place.",
    ],
    examples: ["anygpt list", "anygpt doctor", "anygpt import --client cursor"],
  },
  {
    name: "use",
    heading: "Find and use tools",
    commands: ["search", "find", "tools", "inspect", "execute", "run"],
    text: [
      "`search` prints tools as SERVER:TOOL, which `inspect` and `execute` take as they are.",
      "NAME=VALUE is read by the type that the tool's schema gives to NAME; `anygpt help arguments` has all forms.",
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
      "undo",
      "adapter",
      "discover",
      "auth",
      "config",
      "env",
      "logs",
    ],
    text: ["Servers come from the configuration and from the files of other programs that it names as sources."],
    examples: ["anygpt config sources", "anygpt env", "anygpt logs github --follow"],
  },
  {
    name: "safety",
    heading: "Safety and record",
    commands: ["approvals", "approve", "deny", "idempotency", "audit", "pins", "registry", "keys", "sign", "verify"],
    text: [
      "Calls that can destroy something wait for a confirmation. Every call is recorded before its result is returned.",
    ],
    examples: ["anygpt approvals", "anygpt audit --since 1d", "anygpt audit verify"],
  },
  {
    name: "team",
    heading: "Team server",
    commands: ["serve", "token", "top"],
    text: ["`serve` connects one MCP client over standard input and output, or many over HTTP with tokens."],
    examples: ["anygpt serve --http --port 8080", "anygpt top"],
  },
  {
    name: "maintenance",
    heading: "Maintenance",
    commands: ["daemon", "completion", "eval"],
    text: ["Complete commands, servers and tools in your shell, and measure the search on queries of your own."],
    examples: ['eval "$(anygpt completion bash)"'],
  },
];

/** The page `anygpt help arguments`. */
export const ARGUMENT_FORMS: readonly (readonly [form: string, meaning: string])[] = [
  ["NAME=VALUE", "text, or a number, true, false or null where the tool's schema wants one"],
  ["NAME=A NAME=B", "the items of an array"],
  ["A.B=VALUE", "the member B of the object A"],
  ["NAME:=JSON", "any JSON value"],
  ["NAME=@FILE", "the text of a file; NAME=@@TEXT is a text that begins with @"],
  ["NAME:=@FILE", "the JSON value in a file"],
  ["@FILE", "all arguments as a JSON object; @- reads standard input"],
];

export function topicOf(command: string): Topic | undefined {
  return TOPICS.find(({ commands }) => commands.includes(command));
}
