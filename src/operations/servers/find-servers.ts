import { openDirectory } from "../../directory/directory.js";
import type { Suggestion } from "../../directory/rank.js";
import { createRegistryClient, OFFICIAL_REGISTRY } from "../../directory/registry-client.js";
import { DiscoveryError } from "../../errors.js";
import { loadBundledModel } from "../../search/meaning/bundled-model.js";

const DEFAULT_LIMIT = 5;
/** The maximum number of servers in `closest`. */
const MAX_CLOSEST = 3;
const REGISTRY_VARIABLE = "ANYGPT_REGISTRY_URL";

/** Options of `findServers`. */
export interface FindServersOptions {
  /** The maximum number of servers. Default: 5. */
  readonly limit?: number | undefined;
  /** Search the MCP registry over the network. Default: search the directory in this package, offline. */
  readonly online?: boolean;
  /** Environment variables, such as `ANYGPT_REGISTRY_URL` and the proxy variables. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly warn?: (message: string) => void;
  readonly signal?: AbortSignal;
}

/** Public servers that match a query. */
export interface FoundPublicServers {
  /** Servers that match, best first. */
  readonly servers: readonly Suggestion[];
  /** The closest servers, if no server matches well enough for `servers`. */
  readonly closest: readonly Suggestion[];
}

/** The URL of the MCP registry for online searches. */
export function registryAddress(env: Readonly<Record<string, string | undefined>>): string {
  return env[REGISTRY_VARIABLE] ?? OFFICIAL_REGISTRY;
}

/** Finds public servers by what their tools do. */
export async function findServers(query: string, options: FindServersOptions = {}): Promise<FoundPublicServers> {
  const { limit = DEFAULT_LIMIT, online = false, env = process.env, warn = () => undefined, signal } = options;
  if (query.trim() === "") {
    throw new DiscoveryError("INVALID_REQUEST", "The query is empty.", {
      hint: {
        action: "run-command",
        command: 'anygpt mcp find "send an SMS"',
        purpose: "search for a server by what it does",
      },
    });
  }
  const found = online
    ? await createRegistryClient(registryAddress(env), env).search(query, limit, signal)
    : await openDirectory({ meaning: () => loadBundledModel(warn) }).search(query, limit);
  const servers = found.filter(({ isSure }) => isSure);
  return { servers, closest: servers.length > 0 ? [] : found.slice(0, MAX_CLOSEST) };
}
