import { type CommandGroup, type OptionTable, toOptions } from "./command.js";

const FILE: OptionTable = {
  "--file <file>": {
    summary: "the operations file (default: MCP_REGISTRY_PATH, gateway.registry or operations.json)",
    completes: "file",
  },
};

export const registry: CommandGroup = {
  name: "registry",
  summary: "Export the operations of all adapters and servers to a file, and check such a file.",
  examples: ["anygpt mcp registry export", "anygpt mcp registry check --file ./operations.json"],
  commands: [
    {
      name: "export",
      summary: "Write every operation with its parameters, risk and an example to a file.",
      options: toOptions({
        ...FILE,
        "--force": "also overwrite a file that is not an operations file",
      }),
      examples: ["anygpt mcp registry export", "anygpt mcp registry export --file ./operations.json --json"],
      load: async () => (await import("./commands/registry.js")).exportRegistry,
    },
    {
      name: "check",
      summary:
        "List the differences between an exported file and the live catalog. Exits with code 2 if there are any.",
      options: toOptions({
        ...FILE,
      }),
      examples: ["anygpt mcp registry check", "anygpt mcp registry check --file ./operations.json --json"],
      load: async () => (await import("./commands/registry.js")).checkExported,
    },
  ],
};
