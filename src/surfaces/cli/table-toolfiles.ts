import type { CommandSpec } from "./command.js";

export const discover: CommandSpec = {
  name: "discover",
  summary: "Ask a server for its tools, and write a signed file for each of them that others can use and review.",
  arguments: [{ syntax: "[words...]", summary: "a configured server; or its command, after --", completes: "server" }],
  options: [
    { flags: "--url <address>", summary: "web address of the server" },
    { flags: "--command <line>", summary: "the command that starts it, as one text in quotes" },
    {
      flags: "--name <name>",
      summary: "short name of the server (default: guessed); of one that has files, it stands for the address too",
    },
    { flags: "--auth-header <header>", summary: "header that carries the credential; of known servers it is known" },
    { flags: "--auth-env <variable>", summary: "environment variable that holds the credential" },
    { flags: "--header <pairs...>", summary: "more headers as NAME=VALUE; a value may hold ${VARIABLE}" },
    { flags: "--folder <folder>", summary: "where the files are (default: .ai/tools/mcp)", completes: "file" },
    {
      flags: "--check",
      summary: "write nothing, exit with 1 where files are not what servers say; alone: all of them",
    },
    { flags: "--prune", summary: "take away the files of tools that are gone" },
    { flags: "--force", summary: "overwrite files that were edited by hand, or that nobody has signed" },
    { flags: "--dry-run", summary: "only show what would be written" },
    { flags: "--yes", summary: "put .ai/.env into .gitignore without asking" },
  ],
  unknownOptionHint: "Options of the server's command go after `--`: anygpt mcp discover -- COMMAND -y ….",
  examples: [
    "anygpt mcp discover github",
    "anygpt mcp discover --url https://mcp.context7.com/mcp",
    "anygpt mcp discover --url https://mcp.brave.com/search --name brave --auth-header X-Subscription-Token --auth-env BRAVE_API_KEY",
    "anygpt mcp discover --name filesystem -- npx -y @modelcontextprotocol/server-filesystem ~/docs",
    "anygpt mcp discover --name context7",
    "anygpt mcp discover --check",
  ],
  load: async () => (await import("./commands/discover.js")).discoverServer,
};
