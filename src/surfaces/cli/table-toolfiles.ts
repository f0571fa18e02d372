import type { CommandSpec } from "./command.js";

export const discoverSpec: CommandSpec = {
  name: "discover",
  summary: "List the tools of a server, and write a signed tool file for each, to review and share.",
  arguments: [
    { syntax: "[words...]", summary: "a configured server, or the command of a server after --", completes: "server" },
  ],
  options: [
    { flags: "--url <address>", summary: "URL of the server" },
    { flags: "--command <line>", summary: "the command that starts the server, as one quoted string" },
    {
      flags: "--name <name>",
      summary:
        "short name of the server (default: derived from the URL or command); enough on its own for a server that has tool files",
    },
    {
      flags: "--auth-header <header>",
      summary: "request header for the credential (default: the known header of the server, if there is one)",
    },
    { flags: "--auth-env <variable>", summary: "environment variable that contains the credential" },
    { flags: "--header <pairs...>", summary: "more request headers as NAME=VALUE; a value may contain ${VARIABLE}" },
    { flags: "--folder <folder>", summary: "folder of the tool files (default: .ai/tools/mcp)", completes: "file" },
    {
      flags: "--check",
      summary:
        "write nothing; exit with code 1 if tool files differ from the server (without a server: check all tool files)",
    },
    { flags: "--prune", summary: "delete the files of tools that the server no longer has" },
    { flags: "--force", summary: "overwrite files that were edited by hand or are not signed" },
    { flags: "--dry-run", summary: "only show what would be written" },
    { flags: "--yes", summary: "write the files and add .ai/.env to .gitignore without asking" },
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
  load: async () => (await import("./commands/discover.js")).discoverTools,
};
