import { type CommandSpec, toOptions } from "./command.js";

export const discoverSpec: CommandSpec = {
  name: "discover",
  summary: "List the tools of a server, and write a signed tool file for each, to review and share.",
  arguments: [
    { syntax: "[words...]", summary: "a configured server, or the command of a server after --", completes: "server" },
  ],
  options: toOptions({
    "--url <address>": "URL of the server",
    "--command <line>": "the command that starts the server, as one quoted string",
    "--name <name>":
      "short name of the server (default: derived from the URL or command); enough on its own for a server that has tool files",
    "--auth-header <header>":
      "request header for the credential (default: the known header of the server, if there is one)",
    "--auth-env <variable>": "environment variable that contains the credential",
    "--header <pairs...>": "more request headers as NAME=VALUE; a value may contain ${VARIABLE}",
    "--folder <folder>": { summary: "folder of the tool files (default: .ai/tools/mcp)", completes: "file" },
    "--check":
      "write nothing; exit with code 1 if tool files differ from the server (without a server: check all tool files)",
    "--prune": "delete the files of tools that the server no longer has",
    "--force": "overwrite files that were edited by hand or are not signed",
    "--dry-run": "only show what would be written",
    "--yes": "write the files and add .ai/.env to .gitignore without asking",
  }),
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
