import { SERVER, TARGET, TOOL } from "./table-arguments.js";
import type { CommandGroup, CommandSpec, OptionSpec } from "./command.js";
import { auditSpec } from "./audit/spec.js";
import { approvals, approve, deny, execute, idempotency } from "./table-execution.js";
import { LOG_OPTIONS } from "./log-wish.js";
import { adapter } from "./table-adapters.js";
import { auth } from "./table-auth.js";
import { discover } from "./table-toolfiles.js";
import { keys, run, sign, toolsCommands, verify } from "./table-keys.js";
import { daemon } from "./table-daemon.js";
import { logsSpec } from "./table-logs.js";
import { pins } from "./table-pins.js";
import { registry } from "./table-registry.js";
import { secret } from "./table-secrets.js";
import { serverCommands } from "./table-servers.js";
import { tokens } from "./table-tokens.js";
import { findSpec } from "./table-find.js";
import { topSpec } from "./table-top.js";

/** What every command understands. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { flags: "--config <file>", summary: "use this configuration file", completes: "file" },
  { flags: "--verbose", summary: "show the gateway's log on standard error" },
  { flags: "-q, --quiet", summary: "print the result and failures only: no headings, hints or progress" },
  { flags: "--json", summary: "print JSON and nothing else on standard output" },
  { flags: "--no-color", summary: "print without colour (NO_COLOR and FORCE_COLOR are respected too)" },
];

const list: CommandSpec = {
  name: "list",
  usesServers: true,
  summary: "List all configured servers, or show what is known of some.",
  arguments: [{ syntax: "[servers...]", summary: "show these in full", completes: "server" }],
  options: [
    { flags: "--status", summary: "show the state only" },
    { flags: "--tools", summary: "show the number of tools only" },
    { flags: "--long", summary: "show all servers in full" },
  ],
  examples: ["anygpt mcp list", "anygpt mcp list github", "anygpt mcp list --json"],
  load: async () => (await import("./commands/list.js")).list,
};

const search: CommandSpec = {
  name: "search",
  usesServers: true,
  summary: "Find tools on all servers by what they do.",
  arguments: [{ syntax: "<query...>", summary: "what you want to do, in any words" }],
  options: [
    { flags: "--server <name>", summary: "search this server only", completes: "server" },
    {
      flags: "--limit <n>",
      summary: "print at most so many (default: search.limit of the configuration)",
      number: { min: 1, max: 50, integer: true },
    },
    { flags: "--explain", summary: "show which words of the query were found, as what and where" },
  ],
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
  summary: "List the tools of one server, or move tool files to and from other places.",
  arguments: [{ ...SERVER, syntax: "[server]" }],
  commands: toolsCommands,
  options: [
    { flags: "--server <name>", summary: "the server, where it has the name of a command", completes: "server" },
    { flags: "--all", summary: "list disabled tools too" },
    { flags: "--tags", summary: "show tags" },
    { flags: "--explain", summary: "show the rule that decided each tool, disabled ones too" },
  ],
  examples: ["anygpt mcp tools github", "anygpt mcp tools github --all --tags", "anygpt mcp tools github --explain"],
  load: async () => (await import("./commands/tools.js")).tools,
};

const inspect: CommandSpec = {
  name: "inspect",
  usesServers: true,
  summary: "Show the description and the parameters of one tool.",
  arguments: [TARGET, { ...TOOL, syntax: "[name]", summary: "the tool, after a server" }],
  options: [
    { flags: "--examples", summary: "show usage examples" },
    { flags: "--schema", summary: "print the JSON Schema of the arguments and nothing else" },
  ],
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
      usesServers: true,
      summary:
        "Read the configuration afresh, ask every server for its tools again, and tell running gateways to follow.",
      examples: ["anygpt mcp config reload"],
      load: async () => (await import("./commands/config-reload.js")).reloadConfig,
    },
    {
      name: "trust",
      summary: "Trust the files of this folder as they are now, so that they may start programs and set variables.",
      arguments: [{ syntax: "[files...]", summary: "only these files" }],
      options: [
        { flags: "--list", summary: "show what is trusted, and whether it changed since" },
        { flags: "--revoke", summary: "trust them no more; without files, everything in this folder" },
      ],
      examples: ["anygpt mcp config trust", "anygpt mcp config trust --list", "anygpt mcp config trust --revoke"],
      load: async () => (await import("./commands/config-trust.js")).trustConfig,
    },
  ],
};

const env: CommandSpec = {
  name: "env",
  summary: "Show which variables are needed by which server, and where each would come from. Never a value.",
  options: [{ flags: "--check", summary: "exit with 2 when a variable is missing" }],
  examples: ["anygpt mcp env", "anygpt mcp env --check --json"],
  load: async () => (await import("./commands/env.js")).env,
};

const importServers: CommandSpec = {
  name: "import",
  summary: "Take over the servers that other programs have, and put the gateway in their place there.",
  options: [
    {
      flags: "--client <names...>",
      summary: "also put the gateway in the place of the servers in the files of these programs; all for every one",
      completes: "client",
    },
    {
      flags: "--secrets <where>",
      summary:
        "keychain moves secrets into the system's keychain, env into ~/.ai/.env; keep, the default without a terminal, copies them in clear text",
    },
    { flags: "--yes", summary: "write without asking" },
    { flags: "--dry-run", summary: "only show what would be written; the default without a terminal" },
    { flags: "--undo", summary: "put back every file of the last import, or of these programs" },
    { flags: "--force", summary: "undo also where somebody has changed a file since" },
  ],
  examples: [
    "anygpt mcp import",
    "anygpt mcp import --client cursor claude-desktop",
    "anygpt mcp import --client all --secrets keychain --yes",
    "anygpt mcp import --undo",
  ],
  load: async () => (await import("./commands/import.js")).importServers,
};

const evaluate: CommandSpec = {
  name: "eval",
  summary: "Measure search on labelled queries: one catalog of your own, or all sets of a folder beside other rankers.",
  options: [
    {
      flags: "--catalog <file>",
      summary: "one catalog's tools: [{server, name, description, inputSchema, tags?}]",
      completes: "file",
    },
    {
      flags: "--queries <file>",
      summary: "its queries: [{query, relevant: [{server, name, grade?}]}]",
      completes: "file",
    },
    {
      flags: "--unanswerable <file>",
      summary: "queries that none of its tools can answer: [{query}]",
      completes: "file",
    },
    {
      flags: "--data <folder>",
      summary:
        "folder with sets NAME.tools.json, NAME.queries.json, NAME.unanswerable.json, or with a folder search that has them; " +
        "else ANYGPT_DATA",
      completes: "file",
    },
    { flags: "--only <names>", summary: "only these sets, with commas between them" },
    {
      flags: "--baselines <names>",
      summary:
        "what to compare with: none, or of seed, bm25, minisearch and words (ours by words alone) some with commas between them; " +
        "default the first three",
    },
    {
      flags: "--half <name>",
      summary:
        "tune or report: only these queries; tune has those whose 32-bit FNV-1a hash of the UTF-8 text has an eighth bit of 0",
    },
    {
      flags: "--unseen",
      summary:
        "only queries none of whose relevant tools taught the model; of the sets that taught it, those are half of the tools",
    },
    { flags: "--words", summary: "rank by words alone, as with search.semantic: false" },
    {
      flags: "--haystack [paths...]",
      summary:
        "add the tools of these files, or of the *.tools.json in these folders, to each catalog as distractors; " +
        "default the data folder's corpus",
      completes: "file",
    },
    {
      flags: "--removed",
      summary:
        "ask every query again with its relevant tools hidden, as a rule hides them: the index and its word counts keep them",
    },
    { flags: "--calibration", summary: "show how often hits of each stated relevance are right" },
  ],
  examples: [
    "anygpt mcp eval --catalog my.tools.json --queries my.queries.json --json",
    "anygpt mcp eval --data ./sets --only github,files --baselines bm25",
    "ANYGPT_DATA=./data anygpt mcp eval --half report --removed --calibration",
    "ANYGPT_DATA=./data anygpt mcp eval --haystack",
    "ANYGPT_DATA=./data anygpt mcp eval --unseen --half report --baselines words,bm25",
    "anygpt mcp eval --data ./sets --haystack more.tools.json others/",
  ],
  load: async () => (await import("./commands/evaluate.js")).evaluate,
};

const serve: CommandSpec = {
  name: "serve",
  summary: "Serve the gateway to an MCP client on standard input and output, or to programs over HTTP.",
  isProtocol: true,
  options: [
    { flags: "--http", summary: "serve MCP and REST over HTTP instead" },
    {
      flags: "--port <number>",
      summary: "port for --http, 0 for any (default: http.port of the configuration, 7332)",
      number: { min: 0, max: 65_535, integer: true },
    },
    {
      flags: "--host <address>",
      summary: "address for --http (default: http.host, 127.0.0.1); other machines only with http.tokens or http.oauth",
    },
    ...LOG_OPTIONS,
  ],
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
  summary: "Start each server once and say what is wrong and what to do.",
  arguments: [{ syntax: "[servers...]", summary: "only these servers", completes: "server" }],
  options: [
    { flags: "--fix", summary: "remove broken folders of the npx cache after asking, and try those servers again" },
    { flags: "--yes", summary: "with --fix: do not ask" },
    {
      flags: "--timeout <seconds>",
      summary: "longest wait for all servers together (default: 60)",
      number: { min: 0.1, max: 900 },
    },
  ],
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

/** The whole command line. */
export const ANYGPT: CommandGroup = {
  name: "anygpt",
  summary: "One MCP server in front of all your tools.",
  examples: ["anygpt list", 'anygpt search "create an issue"', "anygpt mcp doctor   # `mcp` may be left out"],
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
        execute,
        run,
        approvals,
        approve,
        deny,
        idempotency,
        auditSpec,
        pins,
        keys,
        sign,
        verify,
        adapter,
        auth,
        registry,
        config,
        discover,
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
