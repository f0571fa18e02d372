// Servers that the embedding program adds to a running engine with `connect`. They exist until the engine is closed and
// are not written to a file.
import type { MCPServerConfig } from "../config/discovery-config.js";
import { toError } from "../config/failure.js";
import { type LoadedConfig, parseConfig } from "../config/load.js";
import type { Config } from "../config/options.js";

export interface AddedServers {
  /**
   * Loads the configuration with the added servers in it. An added server replaces a configured one of the same name.
   */
  load(): Promise<LoadedConfig>;
  /**
   * Adds or replaces a server. Throws CONFIGURATION_ERROR if the entry is invalid. The returned function undoes the
   * change.
   */
  add(name: string, entry: MCPServerConfig): () => void;
}

export function createAddedServers(load: () => Promise<LoadedConfig>): AddedServers {
  const added = new Map<string, Config["servers"]>();
  return {
    async load() {
      const loaded = await load();
      if (added.size === 0) return loaded;
      const { servers, adapters } = loaded.config;
      const clashes = adapters.filter(({ name }) => added.has(name));
      if (clashes.length > 0) throw toError(clashes.map(({ name }) => toClash(name)));
      const others = servers.filter(({ name }) => !added.has(name));
      return { ...loaded, config: { ...loaded.config, servers: [...others, ...[...added.values()].flat()] } };
    },
    add(name, entry) {
      const before = added.get(name);
      added.set(name, parseConfig({ servers: { [name]: entry } }).servers);
      return () => void (before === undefined ? added.delete(name) : added.set(name, before));
    },
  };
}

function toClash(name: string) {
  return { file: "The configuration", path: `servers.${name}`, reason: "has the name of an adapter" };
}
