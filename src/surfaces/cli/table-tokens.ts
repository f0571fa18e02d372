import { type CommandGroup, toOptions } from "./command.js";

export const tokens: CommandGroup = {
  name: "token",
  summary: "Create access tokens for clients of a gateway that is served over HTTP.",
  examples: ["anygpt mcp token create ci --scope 'github:read' --expires 30d"],
  commands: [
    {
      name: "create",
      summary: "Create a token, show it once, and print the entry with its hash for http.tokens.",
      arguments: [{ syntax: "<name>", summary: "name of the client; it appears as token:NAME in the audit log" }],
      options: toOptions({
        "--scope <scopes...>": "scopes of the client; * grants everything",
        "--view <name>": "view that limits the servers and tools of the client (default: all)",
        "--expires <when>": "when the token expires: 30d, 12h, 4w or a date (default: never)",
      }),
      examples: [
        "anygpt mcp token create ci",
        "anygpt mcp token create ci --scope 'github:read' 'jira:*' --view office --expires 30d",
        "anygpt mcp token create ci --json",
      ],
      load: async () => (await import("./commands/token.js")).createToken,
    },
    {
      name: "hash",
      summary: "Print the hash of your own token, which is read from standard input.",
      examples: ["openssl rand -base64 33 | tee token.txt | anygpt mcp token hash"],
      load: async () => (await import("./commands/token.js")).printHash,
    },
  ],
};
