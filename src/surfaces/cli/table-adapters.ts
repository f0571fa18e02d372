import type { ArgumentSpec, CommandGroup } from "./command.js";
import { TOOL } from "./table-arguments.js";

const NAME: ArgumentSpec = { syntax: "<server>", summary: "name of an adapter", completes: "server" };

export const adapter: CommandGroup = {
  name: "adapter",
  summary: "Offer REST APIs as tools, from their OpenAPI documents or Postman collections.",
  examples: [
    "anygpt mcp adapter add payments --document ./payments.yaml --auth bearer:PAYMENTS_TOKEN",
    "anygpt mcp adapter list",
    "anygpt mcp adapter inspect payments",
    "anygpt mcp adapter test payments",
  ],
  commands: [
    {
      name: "add",
      summary: "Read a document, show what it offers, and write an adapter for it into your configuration.",
      arguments: [{ syntax: "<name>", summary: "name for the adapter: small letters, digits and dashes" }],
      options: [
        {
          flags: "--document <place>",
          summary: "file or web address of the OpenAPI document or Postman collection",
          isRequired: true,
          completes: "file",
        },
        { flags: "--base-url <address>", summary: "where the API is; else the document's own address" },
        {
          flags: "--auth <way>",
          summary:
            "bearer:VAR, basic:USERVAR:PASSVAR, header:NAME:VAR, query:NAME:VAR, cookie:NAME:VAR or " +
            "oauth2:VAR:VAR:URL; VAR names an environment variable, never the secret itself",
        },
        { flags: "--idempotency-header <name>", summary: "the header in which the API takes idempotency keys" },
        { flags: "--category <word>", summary: "what kind of API it is, such as payments" },
        { flags: "--yes", summary: "write without asking" },
      ],
      examples: [
        "anygpt mcp adapter add payments --document ./payments.yaml --auth bearer:PAYMENTS_TOKEN",
        "anygpt mcp adapter add shop --document https://shop.example/openapi.json --base-url https://api.shop.example --auth header:X-API-Key:SHOP_KEY --yes",
      ],
      load: async () => (await import("./commands/adapter-add.js")).addAdapter,
    },
    {
      name: "remove",
      summary: "Remove an adapter from your configuration.",
      arguments: [{ syntax: "<name>", summary: "name of an adapter", completes: "adapter" }],
      options: [{ flags: "--project", summary: "edit the configuration of the project in this folder" }],
      examples: ["anygpt mcp adapter remove payments"],
      load: async () => (await import("./servers/change.js")).removeAdapter,
    },
    {
      name: "list",
      summary: "List the adapters of the configuration.",
      examples: ["anygpt mcp adapter list", "anygpt mcp adapter list --json"],
      load: async () => (await import("./commands/adapter-list.js")).listAdapters,
    },
    {
      name: "inspect",
      usesServers: true,
      summary:
        "Show the operations of an adapter, what authentication it wants, and what was left out of its document.",
      arguments: [NAME],
      examples: ["anygpt mcp adapter inspect payments", "anygpt mcp adapter inspect payments --json"],
      load: async () => (await import("./commands/adapter-inspect.js")).inspectAdapter,
    },
    {
      name: "test",
      usesServers: true,
      summary: "Check an adapter's document, variables and address; with a tool that only reads, also one call of it.",
      arguments: [NAME, { ...TOOL, syntax: "[tool]" }],
      options: [{ flags: "--yes", summary: "send the one request without asking" }],
      examples: ["anygpt mcp adapter test payments", "anygpt mcp adapter test payments list-charges --yes"],
      load: async () => (await import("./commands/adapter-test.js")).testAdapter,
    },
  ],
};
