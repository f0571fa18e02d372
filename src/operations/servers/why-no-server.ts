import type { Stages } from "../../gateway/stages.js";

/** Why there is no server, and how to get one. */
export function whyNoServer({ loaded: { file }, config }: Stages): string {
  const where = file ?? "the configuration";
  if (!config.enabled) return `Remove \`enabled: false\` from ${where}: it disables the gateway.`;
  const { length } = config.servers;
  if (length > 0 && config.servers.every(({ enabled }) => !enabled)) {
    return `Run \`anygpt mcp enable ${config.servers[0]?.name}\`, or remove \`enabled: false\` from a server in ${where}: ${length === 1 ? "its only server is" : `all its ${length} servers are`} disabled.`;
  }
  const add = "Add one with `anygpt mcp add NAME -- COMMAND`, or find public ones with `anygpt mcp find WORDS`.";
  // Without a configuration file the gateway already uses the servers of MCP clients, so there are none to import.
  if (file === undefined) return add;
  return `${add} \`anygpt mcp import\` copies the servers of your MCP clients. The configuration file is ${file}.`;
}
