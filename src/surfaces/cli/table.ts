import type { ArgumentSpec, CommandGroup, CommandSpec, OptionSpec } from "./command.js";

const server: ArgumentSpec = { syntax: "<server>", summary: "name of a server", completes: "server" };
const tool: ArgumentSpec = { syntax: "<tool>", summary: "name of one of its tools", completes: "tool" };

/** What every command understands. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { flags: "--config <file>", summary: "use this configuration file", completes: "file" },
  { flags: "--verbose", summary: "show the gateway's log on standard error" },
  { flags: "--json", summary: "print JSON and nothing else on standard output" },
  { flags: "--no-color", summary: "print without colour (NO_COLOR and FORCE_COLOR are respected too)" },
];

const list: CommandSpec = {
  name: "list",
  summary: "List all configured servers.",
  options: [
    { flags: "--status", summary: "show the connection status only" },
    { flags: "--tools", summary: "show the number of tools only" },
  ],
  examples: ["anygpt mcp list", "anygpt mcp list --json"],
  load: async () => (await import("./commands/list.js")).list,
};

const search: CommandSpec = {
  name: "search",
  summary: "Find tools on all servers by what they do.",
  arguments: [{ syntax: "<query...>", summary: "what you want to do, in any words" }],
  options: [
    { flags: "--server <name>", summary: "search this server only", completes: "server" },
    {
      flags: "--limit <n>",
      summary: "print at most so many (default: search.limit of the configuration)",
      number: { min: 1, max: 50, integer: true },
    },
  ],
  examples: [
    'anygpt mcp search "github issue"',
    'anygpt mcp search "create" --server github',
    'anygpt mcp search "file" --limit 5',
  ],
  load: async () => (await import("./commands/search.js")).search,
};

const tools: CommandSpec = {
  name: "tools",
  summary: "List the tools of one server.",
  arguments: [server],
  options: [
    { flags: "--all", summary: "list disabled tools too" },
    { flags: "--tags", summary: "show tags" },
    { flags: "--explain", summary: "show the rule that decided each tool, disabled ones too" },
  ],
  examples: ["anygpt mcp tools github", "anygpt mcp tools github --all --tags", "anygpt mcp tools github --explain"],
  load: async () => (await import("./commands/tools.js")).tools,
};

const inspect: CommandSpec = {
  name: "inspect",
  summary: "Show the description and the parameters of one tool.",
  arguments: [server, tool],
  options: [
    { flags: "--examples", summary: "show usage examples" },
    { flags: "--schema", summary: "print the JSON Schema of the arguments and nothing else" },
  ],
  examples: ["anygpt mcp inspect github create_issue", "anygpt mcp inspect github create_issue --examples"],
  load: async () => (await import("./commands/inspect.js")).inspect,
};

const execute: CommandSpec = {
  name: "execute",
  summary: "Execute a tool.",
  arguments: [server, tool],
  options: [
    { flags: "--args <json>", summary: "the tool's arguments as a JSON object (default: {})" },
    { flags: "--args-file <file>", summary: "read them from a file, or from standard input with -", completes: "file" },
    {
      flags: "--timeout <seconds>",
      summary: "give up after so long without progress (default: execution.timeoutMs of the configuration)",
      number: { min: 0.1, max: 900 },
    },
    { flags: "--stream", summary: "print progress and log messages as they come" },
  ],
  examples: [
    `anygpt mcp execute github create_issue --args '{"repo":"owner/repo","title":"Bug report"}'`,
    `anygpt mcp execute filesystem read_file --args '{"path":"README.md"}' --json`,
    "anygpt mcp execute ai generate_text --args-file prompt.json --stream",
  ],
  load: async () => (await import("./commands/execute.js")).execute,
};

const config: CommandGroup = {
  name: "config",
  summary: "Show, check and reload the configuration.",
  examples: ["anygpt mcp config show", "anygpt mcp config validate"],
  commands: [
    {
      name: "show",
      summary: "Show the configuration in force.",
      examples: ["anygpt mcp config show", "anygpt mcp config show --json"],
      load: async () => (await import("./commands/config-show.js")).showConfig,
    },
    {
      name: "validate",
      summary: "Check the configuration and name everything that is wrong with it.",
      examples: ["anygpt mcp config validate", "anygpt mcp config validate --config ./mcp-discovery.config.yaml"],
      load: async () => (await import("./commands/config-validate.js")).validateConfig,
    },
    {
      name: "sources",
      summary: "List the files that servers are learned from.",
      examples: ["anygpt mcp config sources"],
      load: async () => (await import("./commands/config-show.js")).showSources,
    },
    {
      name: "reload",
      summary: "Read the configuration afresh and ask every server for its tools again.",
      examples: ["anygpt mcp config reload"],
      load: async () => (await import("./commands/config-reload.js")).reloadConfig,
    },
  ],
};

const evaluate: CommandSpec = {
  name: "eval",
  summary: "Measure search on tools and labelled queries of your own.",
  options: [
    {
      flags: "--catalog <file>",
      summary: "tools: [{server, name, description, inputSchema, tags?}]",
      isRequired: true,
      completes: "file",
    },
    {
      flags: "--queries <file>",
      summary: "queries: [{query, relevant: [{server, name, grade?}]}]",
      isRequired: true,
      completes: "file",
    },
  ],
  examples: ["anygpt mcp eval --catalog my.tools.json --queries my.queries.json --json"],
  load: async () => (await import("./commands/evaluate.js")).evaluate,
};

const serve: CommandSpec = {
  name: "serve",
  summary: "Serve the gateway to an MCP client on standard input and output.",
  isProtocol: true,
  examples: ["anygpt mcp serve", "anygpt mcp serve --config ./mcp-discovery.config.yaml"],
  load: async () => (await import("./commands/serve.js")).serve,
};

const doctor: CommandSpec = {
  name: "doctor",
  summary: "Start each server once and say what is wrong and what to do.",
  arguments: [{ syntax: "[servers...]", summary: "only these servers", completes: "server" }],
  examples: ["anygpt mcp doctor", "anygpt mcp doctor github jira"],
  load: async () => (await import("./commands/doctor.js")).doctor,
};

const completion: CommandSpec = {
  name: "completion",
  summary: "Print a script that completes commands, options, servers and tools in your shell.",
  arguments: [{ syntax: "<shell>", summary: "bash, zsh or fish", completes: ["bash", "zsh", "fish"] }],
  examples: [
    'eval "$(anygpt mcp completion bash)"   # in ~/.bashrc',
    'eval "$(anygpt mcp completion zsh)"    # in ~/.zshrc',
    "anygpt mcp completion fish > ~/.config/fish/completions/anygpt.fish",
  ],
  load: async () => (await import("./commands/completion.js")).completion,
};

/** The whole command line. */
export const ANYGPT: CommandGroup = {
  name: "anygpt",
  summary: "One MCP server in front of all your tools.",
  examples: ["anygpt mcp list", 'anygpt mcp search "create an issue"', "anygpt mcp doctor"],
  commands: [
    {
      name: "mcp",
      summary: "Find and execute tools of all your MCP servers.",
      examples: [
        'anygpt mcp search "read a file"',
        "anygpt mcp inspect filesystem read_file",
        `anygpt mcp execute filesystem read_file --args '{"path":"README.md"}'`,
      ],
      commands: [list, search, tools, inspect, execute, config, doctor, serve, evaluate, completion],
    },
  ],
};
