import type { ArgumentSpec, CommandGroup, OptionSpec } from "./command.js";

const NAME: ArgumentSpec = { syntax: "<name>", summary: "as in ${keychain:NAME}, or SERVICE/ACCOUNT" };
const YES: OptionSpec = { flags: "--yes", summary: "do it without asking" };

export const secret: CommandGroup = {
  name: "secret",
  summary: "Keep secrets in the keychain of this machine, for ${keychain:NAME} in your configuration.",
  examples: ["anygpt mcp secret set GITHUB_TOKEN", "anygpt mcp secret check 'op://Private/GitHub/token'"],
  commands: [
    {
      name: "set",
      summary: "Store a secret in the keychain. It is read from standard input, or asked for and not shown.",
      arguments: [NAME],
      examples: ["anygpt mcp secret set GITHUB_TOKEN", "pbpaste | anygpt mcp secret set GITHUB_TOKEN"],
      load: async () => (await import("./commands/secret.js")).setSecret,
    },
    {
      name: "remove",
      summary: "Remove a secret from the keychain.",
      arguments: [NAME],
      options: [YES],
      examples: ["anygpt mcp secret remove GITHUB_TOKEN"],
      load: async () => (await import("./commands/secret.js")).removeSecret,
    },
    {
      name: "check",
      summary: "Read a reference as a server would, and say whether that works. Never the value.",
      arguments: [
        { syntax: "<reference...>", summary: "keychain:NAME, op://VAULT/ITEM/FIELD, vault:PATH#FIELD or command:…" },
      ],
      examples: ["anygpt mcp secret check keychain:GITHUB_TOKEN", "anygpt mcp secret check vault:secret/github#token"],
      load: async () => (await import("./commands/secret.js")).checkSecret,
    },
  ],
};
