import type { Client, ClientPlace, Layout } from "./client.js";
import { readServerMap, type Spelling } from "./entry.js";
import type { System } from "../system.js";

/** The layout that most programs share: JSON with a map of servers by name. */
export function mapLayout(key: string, spelling: Spelling = {}): Layout {
  return {
    section: () => ({ format: "json", keys: [key] }),
    dialect: "code",
    read: (document) => readServerMap(document, key, spelling),
  };
}

export const MCP_SERVERS = mapLayout("mcpServers");

/** A client whose files all hold `mcpServers`. */
export function plainClient(id: string, title: string, places: (system: System) => readonly ClientPlace[]): Client {
  return { id, title, places, layoutOf: () => MCP_SERVERS };
}
