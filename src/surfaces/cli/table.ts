import { SERVER, TARGET, TOOL } from "./table-arguments.js";
import { type CommandGroup, type CommandSpec, toOptions } from "./command.js";
import { approvalsSpec, approveSpec, denySpec, executeSpec, findSpec, idempotency } from "./table-execution.js";
import { daemon, logsSpec, tokens, topSpec } from "./table-gateway.js";
import { auditSpec, pins, registry, secret } from "./table-safety.js";
import { adapterSpecs } from "./table-adapters.js";
import { auth } from "./table-auth.js";
import { keys, run, signSpec, toolsCommands, verifySpec } from "./table-keys.js";
import { discoverSpec, serverCommands } from "./table-servers.js";
import { LOG_FORMATS, LOG_LEVELS } from "../../util/log.js";

/** Options that every command has. */
export const COMMON_OPTIONS = toOptions({
  "--config <file>": { summary: "use this configuration file", completes: "file" },
  "--verbose": "show the gateway's log on standard error",
  "-q, --quiet": "print only the result and errors: no headings, hints or progress",
  "--json": "print only JSON on standard output",
  "--no-color": "print without colour (the variables NO_COLOR and FORCE_COLOR work too)",
});

const list: CommandSpec = {
  name: "list",
  usesServers: true,
  summary: "List all configured servers, or show the details of the given ones.",
  arguments: [{ syntax: "[servers...]", summary: "show the details of these servers", completes: "server" }],
  options: toOptions({
    "--status": "show only the state of each server",
    "--tools": "show only the number of tools of each server",
    "--long": "show the details of all servers",
  }),
  examples: ["anygpt mcp list", "anygpt mcp list github", "anygpt mcp list --json"],
  load: async () => (await import("./commands/list.js")).list,
};

const search: CommandSpec = {
  name: "search",
  usesServers: true,
  summary: "Find tools on all servers by what they do.",
  arguments: [{ syntax: "<query...>", summary: "what you want to do, in your own words" }],
  options: toOptions({
    "--server <name>": { summary: "search only this server", completes: "server" },
    "--limit <n>": {
      summary: "print at most this many tools (default: search.limit in the configuration)",
      number: { min: 1, max: 50, integer: true },
    },
    "--explain": "show which words of the query matched, and in which field of the tool",
  }),
  examples: [
    'anygpt mcp search "github issue"',
    'anygpt mcp search "create" --server github',
    'anygpt mcp search "file" --limit 5',
    'anygpt mcp search "remove a page" --explain',
  ],
  load: async () => (await import("./commands/search.js")).search,
};

const tools: CommandSpec = {
  name: "tools",
  usesServers: true,
  summary: "List the tools of one server, or export and install tool files.",
  arguments: [{ ...SERVER, syntax: "[server]" }],
  commands: toolsCommands,
  options: toOptions({
    "--server <name>": {
      summary: "name of the server, if a subcommand such as export has the same name",
      completes: "server",
    },
    "--query <words>": "list only tools whose name or description has these words",
    "--all": "list disabled tools too",
    "--tags": "show tags",
    "--explain": "show the rule that enables or disables each tool; lists disabled tools too",
  }),
  examples: ["anygpt mcp tools github", "anygpt mcp tools github --all --tags", "anygpt mcp tools github --explain"],
  load: async () => (await import("./commands/tools.js")).tools,
};

const inspect: CommandSpec = {
  name: "inspect",
  usesServers: true,
  summary: "Show the description and the parameters of one tool.",
  arguments: [TARGET, { ...TOOL, syntax: "[name]", summary: "name of the tool, if the first argument is a server" }],
  options: toOptions({
    "--examples": "show usage examples",
    "--full": "show complete descriptions and the JSON Schema of the arguments",
    "--schema": "print only the JSON Schema of the arguments",
  }),
  examples: [
    "anygpt mcp inspect github:create_issue",
    "anygpt mcp inspect create_issue",
    "anygpt mcp inspect github create_issue --examples",
  ],
  load: async () => (await import("./commands/inspect.js")).inspect,
};

const config: CommandGroup = {
  name: "config",
  summary: "Show, check, trust and reload the configuration.",
  examples: ["anygpt mcp config show", "anygpt mcp config validate"],
  commands: [
    {
      name: "show",
      summary: "Show the configuration that the gateway uses.",
      examples: ["anygpt mcp config show", "anygpt mcp config show --json"],
      load: async () => (await import("./commands/config.js")).showConfig,
    },
    {
      name: "validate",
      summary: "Check the configuration and list all errors in it.",
      examples: ["anygpt mcp config validate", "anygpt mcp config validate --config ./mcp-discovery.config.yaml"],
      load: async () => (await import("./commands/config.js")).validateConfig,
    },
    {
      name: "sources",
      summary: "List the files that servers are read from.",
      examples: ["anygpt mcp config sources"],
      load: async () => (await import("./commands/config.js")).showSources,
    },
    {
      name: "reload",
      usesServers: true,
      summary: "Read the configuration and the tool list of every server again, and notify running gateways.",
      examples: ["anygpt mcp config reload"],
      load: async () => (await import("./commands/config.js")).reloadConfig,
    },
    {
      name: "trust",
      summary: "Show what this folder's configuration files start and set, ask, and trust their current content.",
      arguments: [{ syntax: "[files...]", summary: "only these files (default: all files of this folder)" }],
      options: toOptions({
        "--yes": "trust without asking all files but .env files, which have to be named",
        "--list": "list the trusted files, and whether they have changed since they were trusted",
        "--revoke": "stop trusting the files",
      }),
      examples: [
        "anygpt mcp config trust",
        "anygpt mcp config trust .env --yes",
        "anygpt mcp config trust --list",
        "anygpt mcp config trust --revoke",
      ],
      load: async () => (await import("./commands/config.js")).trustConfig,
    },
  ],
};

const env: CommandSpec = {
  name: "env",
  summary: "Show which environment variables each server needs and where they are set. Values are never printed.",
  options: toOptions({ "--check": "exit with code 2 if a variable is missing" }),
  examples: ["anygpt mcp env", "anygpt mcp env --check --json"],
  load: async () => (await import("./commands/env.js")).env,
};

const importServers: CommandSpec = {
  name: "import",
  summary:
    "Copy the servers of your MCP clients into your configuration. With --client, also connect these clients to the gateway.",
  options: toOptions({
    "--client <names...>": {
      summary: "import only from these clients (all: every client), and replace their servers with the gateway",
      completes: "client",
    },
    "--secrets <where>":
      "where to store plain-text secrets: keychain (the system keychain), env (~/.ai/.env) or keep (in the configuration, as plain text; the default with --yes and without a terminal)",
    "--yes": "write without asking",
    "--dry-run": "only show what would be written; the default without a terminal and without --yes",
    "--undo": "restore every file that the last import changed, or only the files of the clients in --client",
    "--force": "with --undo: also restore files that were changed since the import",
  }),
  examples: [
    "anygpt mcp import",
    "anygpt mcp import --client cursor claude-desktop",
    "anygpt mcp import --client all --secrets keychain --yes",
    "anygpt mcp import --undo",
  ],
  load: async () => (await import("./commands/import.js")).importCommand,
};

const evaluate: CommandSpec = {
  name: "eval",
  summary:
    "Measure search quality with your own tools and labelled queries, and list the queries whose first result is wrong.",
  options: toOptions({
    "--catalog <file>": {
      summary: "JSON file with the tools: [{server, name, description, inputSchema, tags?}]",
      isRequired: true,
      completes: "file",
    },
    "--queries <file>": {
      summary: "JSON file with the queries: [{query, relevant: [{server, name, grade?}]}]",
      isRequired: true,
      completes: "file",
    },
    "--unanswerable <file>": {
      summary: "JSON file with queries that none of the tools can answer: [{query}]",
      completes: "file",
    },
    "--words": "rank by words only, as with search.semantic: false",
  }),
  examples: [
    "anygpt mcp eval --catalog my.tools.json --queries my.queries.json",
    "anygpt mcp eval --catalog my.tools.json --queries my.queries.json --unanswerable other.json --json",
  ],
  load: async () => (await import("./commands/evaluate.js")).evaluate,
};

const serve: CommandSpec = {
  name: "serve",
  summary: "Serve the gateway to an MCP client on standard input and output, or to programs over HTTP.",
  isProtocol: true,
  options: toOptions({
    "--http": "serve MCP and REST over HTTP instead of standard input and output",
    "--port <number>": {
      summary: "port for --http; 0 selects a free port (default: http.port in the configuration, or 7332)",
      number: { min: 0, max: 65_535, integer: true },
    },
    "--host <address>":
      "address to listen on with --http (default: http.host in the configuration, or 127.0.0.1); an address that other machines can reach requires http.tokens or http.oauth",
    "--log-level <level>": {
      summary: "lowest level of the messages on standard error; debug logs every call (default: ANYGPT_LOG, or info)",
      completes: LOG_LEVELS,
    },
    "--log-format <format>": {
      summary: "format of the messages; json writes one object per line (default: ANYGPT_LOG, or text)",
      completes: LOG_FORMATS,
    },
  }),
  examples: [
    "anygpt mcp serve",
    "anygpt mcp serve --config ./mcp-discovery.config.yaml",
    "anygpt mcp serve --http --port 8080",
  ],
  load: async () => (await import("./commands/serve.js")).serve,
};

const doctor: CommandSpec = {
  name: "doctor",
  usesServers: true,
  summary: "Start each server once, and show what is wrong and how to fix it.",
  arguments: [{ syntax: "[servers...]", summary: "check only these servers", completes: "server" }],
  options: toOptions({
    "--fix": "ask, then remove broken folders of the npx cache and check the affected servers again",
    "--yes": "with --fix: remove the folders without asking",
    "--timeout <seconds>": {
      summary: "longest wait for all servers together (default: 60)",
      number: { min: 0.1, max: 900 },
    },
  }),
  examples: ["anygpt mcp doctor", "anygpt mcp doctor github jira", "anygpt mcp doctor --timeout 180 --fix"],
  load: async () => (await import("./commands/doctor.js")).doctor,
};

const completion: CommandSpec = {
  name: "completion",
  summary: "Print a script that completes commands, options, servers and tools in your shell.",
  arguments: [
    { syntax: "<shell>", summary: "bash, zsh, fish or powershell", completes: ["bash", "zsh", "fish", "powershell"] },
  ],
  examples: [
    'eval "$(anygpt mcp completion bash)"   # in ~/.bashrc',
    'eval "$(anygpt mcp completion zsh)"    # in ~/.zshrc',
    "anygpt mcp completion fish > ~/.config/fish/completions/anygpt.fish",
    "anygpt mcp completion powershell | Out-String | Invoke-Expression   # in $PROFILE",
  ],
  load: async () => (await import("./commands/completion.js")).completion,
};

/** The root of all commands. */
export const ANYGPT: CommandGroup = {
  name: "anygpt",
  summary: "One MCP server in front of all your tools.",
  examples: ["anygpt list", 'anygpt search "create an issue"', "anygpt mcp doctor   # `mcp` is optional"],
  commands: [
    {
      name: "mcp",
      summary: "Find and execute tools of all your MCP servers.",
      examples: [
        'anygpt mcp search "read a file"',
        "anygpt mcp inspect filesystem read_file",
        `anygpt mcp execute filesystem read_file --args '{"path":"README.md"}'`,
      ],
      commands: [
        ...serverCommands,
        list,
        search,
        findSpec,
        tools,
        inspect,
        executeSpec,
        run,
        approvalsSpec,
        approveSpec,
        denySpec,
        idempotency,
        auditSpec,
        pins,
        keys,
        signSpec,
        verifySpec,
        adapterSpecs,
        auth,
        registry,
        config,
        discoverSpec,
        importServers,
        env,
        secret,
        doctor,
        daemon,
        logsSpec,
        serve,
        topSpec,
        tokens,
        evaluate,
        completion,
      ],
    },
  ],
};
