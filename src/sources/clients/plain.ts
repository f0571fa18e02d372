import type { Client, ClientLocation, Layout } from "./client.js";
import { readServerMap, type Spelling } from "./entry.js";
import type { PlaceholderSyntax } from "../placeholders.js";
import type { System } from "../system.js";

/** The layout that most programs use: JSON with a map of servers by name. */
export function mapLayout(key: string, spelling: Spelling = {}, dialect: PlaceholderSyntax = "code"): Layout {
  return {
    section: () => ({ format: "json", keys: [key] }),
    dialect,
    read: (document) => readServerMap(document, key, spelling),
  };
}

export const MCP_SERVERS = mapLayout("mcpServers");

/** Creates a client whose files all have the servers under the key `mcpServers`. */
export function plainClient(
  id: string,
  title: string,
  locations: (system: System) => readonly ClientLocation[],
): Client {
  return { id, title, locations, layoutOf: () => MCP_SERVERS };
}

/** Returns the client with another placeholder syntax. */
export function withDialect(dialect: PlaceholderSyntax, client: Client): Client {
  const layout = mapLayout("mcpServers", {}, dialect);
  return { ...client, layoutOf: () => layout };
}
