import type { Client, ClientPlace, Layout } from "./client.js";
import { readServerMap, type Spelling } from "./entry.js";
import type { Dialect } from "../placeholders.js";
import type { System } from "../system.js";

/** The layout that most programs share: JSON with a map of servers by name. */
export function mapLayout(key: string, spelling: Spelling = {}, dialect: Dialect = "code"): Layout {
  return {
    section: () => ({ format: "json", keys: [key] }),
    dialect,
    read: (document) => readServerMap(document, key, spelling),
  };
}

export const MCP_SERVERS = mapLayout("mcpServers");

/** A client whose files all hold `mcpServers`. */
export function plainClient(id: string, title: string, places: (system: System) => readonly ClientPlace[]): Client {
  return { id, title, places, layoutOf: () => MCP_SERVERS };
}

/** The same, where the program replaces other placeholders. */
export function speaking(dialect: Dialect, client: Client): Client {
  const layout = mapLayout("mcpServers", {}, dialect);
  return { ...client, layoutOf: () => layout };
}
