// Finds servers and tools in the catalog by name. If the tools of a server are unknown, its tool list is requested
// first.
import { DiscoveryError } from "../errors.js";
import { type Tool, toolId } from "../model/tool.js";
import type { Hint, NextStep } from "../model/next-steps.js";
import type { CatalogLookup, LookupOptions } from "./lookup.js";
import { assertNotQuarantined } from "./quarantine.js";
import type { Refresh } from "./refresh.js";
import { type CatalogServer, isBuiltIn, type Snapshot } from "./snapshot.js";
import type { PendingServer } from "./starts.js";

/** Returns the existing names that are most similar to a mistyped one, the nearest first. */
export type NearestNames = (name: string, candidates: Iterable<string>) => readonly string[];

export interface CatalogFinderParts {
  readonly snapshot: () => Snapshot;
  readonly lookup: CatalogLookup;
  readonly refresh: Pick<Refresh, "pending" | "starts">;
  /** Names of servers that the configuration disables. */
  readonly disabled: readonly string[];
  readonly nearest: NearestNames;
}

export interface CatalogFinder {
  /** All servers except the built-in one. */
  servers(): readonly CatalogServer[];
  /** Names of servers whose tools are not known yet. */
  pending(): readonly string[];
  /** The pending servers with the progress of each. */
  starts(): readonly PendingServer[];
  /** Servers that failed and whose tools are not known. */
  failed(): readonly CatalogServer[];
  /**
   * Returns the server with a current tool list, which may have to be requested first. Throws SERVER_NOT_FOUND with the
   * nearest names.
   */
  server(name: string, options?: LookupOptions): Promise<CatalogServer>;
  /** Returns the tool, even if it is disabled or quarantined. Throws TOOL_NOT_FOUND with the nearest names. */
  find(server: string, name: string, options?: LookupOptions): Promise<Tool>;
  /** Like `find`, for callers that read the definition: throws TOOL_QUARANTINED if the tool is quarantined. */
  tool(server: string, name: string, options?: LookupOptions): Promise<Tool>;
}

/** If a tool is not found, the error names all tools of the server, provided that the server has at most this many. */
const MAX_LISTED_TOOLS = 12;

export function createCatalogFinder(parts: CatalogFinderParts): CatalogFinder {
  const { snapshot, lookup, refresh } = parts;

  const orThrow = (name: string, found: CatalogServer | undefined): CatalogServer => {
    if (found === undefined) throw serverNotFound(name, parts);
    return found;
  };

  const find = async (serverName: string, name: string, options?: LookupOptions): Promise<Tool> => {
    // Models sometimes pass the full id (`server:tool`) instead of the name.
    const bare = name.startsWith(`${serverName}:`) ? name.slice(serverName.length + 1) : name;
    const pick = ({ tools }: CatalogServer): Tool | undefined =>
      tools.find((tool) => tool.name === name) ??
      tools.find((tool) => tool.name === bare) ??
      tools.find((tool) => tool.file?.id === bare);
    const known = pick(orThrow(serverName, await lookup.server(serverName, options)));
    if (known !== undefined && known.quarantine === undefined) return known;
    // The tool may be usable now: since the tool list was received, a user may have approved it, or the server may have
    // added it.
    const server = orThrow(
      serverName,
      known === undefined ? await lookup.refreshed(serverName, options) : await lookup.rechecked(serverName),
    );
    const found = pick(server);
    if (found === undefined) throw toolNotFound(server, name, parts.nearest);
    return found;
  };

  return {
    servers: () => [...snapshot().servers.values()].filter((server) => !isBuiltIn(server)),
    pending: () => refresh.pending(),
    starts: () => refresh.starts(),
    failed: () => [...snapshot().servers.values()].filter(isFailed),
    server: async (name, options) => orThrow(name, await lookup.list(name, options)),
    find,
    async tool(serverName, name, options) {
      const found = await find(serverName, name, options);
      assertNotQuarantined(found);
      return found;
    },
  };
}

function isFailed({ failure, tools }: CatalogServer): boolean {
  return failure !== undefined && tools.length === 0;
}

/** Creates the error for an unknown or disabled server. It suggests the nearest server names. */
export function serverNotFound(
  name: string,
  { snapshot, disabled, nearest }: Pick<CatalogFinderParts, "snapshot" | "disabled" | "nearest">,
): DiscoveryError {
  if (disabled.includes(name)) {
    return new DiscoveryError("SERVER_NOT_FOUND", `The server "${name}" is disabled in the gateway's configuration.`, {
      server: name,
      hint: { action: "run-command", command: `anygpt mcp enable ${name}`, purpose: "enable it" },
      facts: { nearest: [], disabled: true },
    });
  }
  const { servers } = snapshot();
  const near = nearest(name, servers.keys());
  const hint: Hint =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : [...servers.values()].every(isBuiltIn)
        ? ["No server is configured.", { action: "run-command", command: "anygpt mcp add", purpose: "add one" }]
        : { action: "list-servers" };
  return new DiscoveryError("SERVER_NOT_FOUND", `No server is named "${name}".`, {
    server: name,
    hint,
    facts: { nearest: near },
  });
}

function toolNotFound({ tools, definition }: CatalogServer, name: string, nearest: NearestNames): DiscoveryError {
  const server = definition.name;
  const visible = tools.filter((tool) => tool.enabled).map((tool) => tool.name);
  const near = nearest(name, visible);
  const all =
    visible.length > 0 && visible.length <= MAX_LISTED_TOOLS
      ? [`${server} has these tools: ${visible.join(", ")}.`]
      : [];
  const first: string | NextStep = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : { action: "search" };
  return new DiscoveryError("TOOL_NOT_FOUND", `No tool is named "${toolId(server, name)}".`, {
    server,
    tool: name,
    hint: [first, ...all],
    facts: { nearest: near.map((tool) => toolId(server, tool)) },
  });
}
