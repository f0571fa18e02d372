import { type ArgumentSpec, type CommandGroup, toOptions } from "./command.js";
import { TOOL } from "./table-arguments.js";

const NAME: ArgumentSpec = { syntax: "<server>", summary: "name of an adapter", completes: "server" };

export const adapterSpecs: CommandGroup = {
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
      summary: "Read an API document, show its operations, and add an adapter for it to your configuration.",
      arguments: [{ syntax: "<name>", summary: "name for the adapter: lowercase letters, digits and hyphens" }],
      options: toOptions({
        "--document <place>": {
          summary: "path or URL of the OpenAPI document or Postman collection",
          isRequired: true,
          completes: "file",
        },
        "--base-url <address>": "URL of the API (default: the server URL in the document)",
        "--auth <way>":
          "authentication: bearer:VAR, basic:USERVAR:PASSVAR, header:NAME:VAR, query:NAME:VAR, cookie:NAME:VAR or " +
          "oauth2:VAR:VAR:URL (client id, client secret, token URL); VAR is the name of an environment variable, never the secret itself",
        "--idempotency-header <name>": "request header in which the API accepts idempotency keys",
        "--category <word>": "category of the API, such as payments",
        "--yes": "write without asking",
      }),
      examples: [
        "anygpt mcp adapter add payments --document ./payments.yaml --auth bearer:PAYMENTS_TOKEN",
        "anygpt mcp adapter add shop --document https://shop.example/openapi.json --base-url https://api.shop.example --auth header:X-API-Key:SHOP_KEY --yes",
      ],
      load: async () => (await import("./commands/adapter.js")).addAdapter,
    },
    {
      name: "remove",
      summary: "Remove an adapter from your configuration.",
      arguments: [{ syntax: "<name>", summary: "name of an adapter", completes: "adapter" }],
      options: toOptions({
        "--project": "change the project configuration in this folder instead of your own configuration",
      }),
      examples: ["anygpt mcp adapter remove payments"],
      load: async () => (await import("./servers/change.js")).removeAdapter,
    },
    {
      name: "list",
      summary: "List the configured adapters.",
      examples: ["anygpt mcp adapter list", "anygpt mcp adapter list --json"],
      load: async () => (await import("./commands/adapter.js")).listAdapterCommand,
    },
    {
      name: "inspect",
      usesServers: true,
      summary:
        "Show an adapter's operations, its authentication, and the operations in its document that were left out.",
      arguments: [NAME],
      examples: ["anygpt mcp adapter inspect payments", "anygpt mcp adapter inspect payments --json"],
      load: async () => (await import("./commands/adapter.js")).inspectAdapterCommand,
    },
    {
      name: "test",
      usesServers: true,
      summary: "Check an adapter's document, variables and URL. If a read-only tool is named, also call it once.",
      arguments: [NAME, { ...TOOL, syntax: "[tool]" }],
      options: toOptions({ "--yes": "send the test request without asking" }),
      examples: ["anygpt mcp adapter test payments", "anygpt mcp adapter test payments list-charges --yes"],
      load: async () => (await import("./commands/adapter.js")).testAdapterCommand,
    },
  ],
};
