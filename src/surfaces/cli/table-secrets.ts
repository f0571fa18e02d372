import { type ArgumentSpec, type CommandGroup, type OptionTable, toOptions } from "./command.js";

const NAME: ArgumentSpec = {
  syntax: "<name>",
  summary: "name of the secret, as in ${keychain:NAME}, or SERVICE/ACCOUNT",
};
const YES: OptionTable = { "--yes": "remove it without asking" };

export const secret: CommandGroup = {
  name: "secret",
  summary: "Manage secrets in the system keychain, to use as ${keychain:NAME} in your configuration.",
  examples: ["anygpt mcp secret set GITHUB_TOKEN", "anygpt mcp secret check 'op://Private/GitHub/token'"],
  commands: [
    {
      name: "set",
      summary: "Store a secret in the keychain. It is read from standard input, or typed without being shown.",
      arguments: [NAME],
      examples: ["anygpt mcp secret set GITHUB_TOKEN", "pbpaste | anygpt mcp secret set GITHUB_TOKEN"],
      load: async () => (await import("./commands/secret.js")).setSecret,
    },
    {
      name: "list",
      summary:
        "List the secret references in your configuration and the servers that use them. Does not read the secrets.",
      examples: ["anygpt mcp secret list"],
      load: async () => (await import("./commands/env.js")).listSecrets,
    },
    {
      name: "remove",
      summary: "Remove a secret from the keychain.",
      arguments: [NAME],
      options: toOptions({
        ...YES,
      }),
      examples: ["anygpt mcp secret remove GITHUB_TOKEN"],
      load: async () => (await import("./commands/secret.js")).removeSecret,
    },
    {
      name: "check",
      summary: "Check whether a secret reference can be read. The value is never printed.",
      arguments: [
        { syntax: "<reference...>", summary: "keychain:NAME, op://VAULT/ITEM/FIELD, vault:PATH#FIELD or command:…" },
      ],
      examples: ["anygpt mcp secret check keychain:GITHUB_TOKEN", "anygpt mcp secret check vault:secret/github#token"],
      load: async () => (await import("./commands/secret.js")).checkSecret,
    },
  ],
};
