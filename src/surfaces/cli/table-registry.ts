import type { CommandGroup, OptionSpec } from "./command.js";

const FILE: OptionSpec = {
  flags: "--file <file>",
  summary: "the registry's file (default: MCP_REGISTRY_PATH or gateway.registry, else operations.json)",
  completes: "file",
};

export const registry: CommandGroup = {
  name: "registry",
  summary: "Export what all adapters and servers offer, and check an export against them.",
  examples: ["anygpt mcp registry export", "anygpt mcp registry check --file ./operations.json"],
  commands: [
    {
      name: "export",
      summary: "Write every operation with its parameters, risk and example into a file.",
      options: [FILE, { flags: "--force", summary: "also replace a file that is no registry" }],
      examples: ["anygpt mcp registry export", "anygpt mcp registry export --file ./operations.json --json"],
      load: async () => (await import("./commands/registry-export.js")).exportRegistry,
    },
    {
      name: "check",
      summary: "Name everything in which an exported registry and the live catalog disagree; exit with 2 if anything.",
      options: [FILE],
      examples: ["anygpt mcp registry check", "anygpt mcp registry check --file ./operations.json --json"],
      load: async () => (await import("./commands/registry-check.js")).checkExported,
    },
  ],
};
