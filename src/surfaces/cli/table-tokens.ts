import type { CommandGroup } from "./command.js";

export const tokens: CommandGroup = {
  name: "token",
  summary: "Make tokens for callers of a gateway that is served over HTTP.",
  examples: ["anygpt mcp token create ci --scope 'github:read' --expires 30d"],
  commands: [
    {
      name: "create",
      summary: "Make a token, show it this once, and print the entry for http.tokens that knows it by its hash.",
      arguments: [{ syntax: "<name>", summary: "who calls with it: token:NAME in the record" }],
      options: [
        { flags: "--scope <scopes...>", summary: "what its caller may do; * is everything" },
        { flags: "--view <name>", summary: "which servers and tools there are for its caller (default: all)" },
        { flags: "--expires <when>", summary: "30d, 12h, 4w or a time (default: never)" },
      ],
      examples: [
        "anygpt mcp token create ci",
        "anygpt mcp token create ci --scope 'github:read' 'jira:*' --view office --expires 30d",
        "anygpt mcp token create ci --json",
      ],
      load: async () => (await import("./commands/token.js")).createToken,
    },
    {
      name: "hash",
      summary: "Print the hash of a token of your own, read from standard input.",
      examples: ["openssl rand -base64 33 | tee token.txt | anygpt mcp token hash"],
      load: async () => (await import("./commands/token.js")).printHash,
    },
  ],
};
