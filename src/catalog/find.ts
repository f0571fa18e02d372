// Finds servers and tools in the catalog by name. If the tools of a server are unknown, its tool list is requested
// first.
import { DiscoveryError } from "../errors.js";
import { BUILT_IN_SERVER, READ_RESULT } from "../model/built-in.js";
import { type Tool, toolId } from "../model/tool.js";
import type { Hint, NextStep } from "../model/next-steps.js";
import { RETRY_AFTER_SECONDS } from "../model/start.js";
import type { CatalogLookup, LookupOptions } from "./lookup.js";
import { assertNotQuarantined } from "./quarantine.js";
import type { Refresh } from "./refresh.js";
import { type CatalogServer, isBuiltIn, type Snapshot } from "./snapshot.js";
import { describePending, type PendingServer } from "./starts.js";

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
  /** The built-in server, if there is one. Searches find its tools too. */
  builtInServers(): readonly CatalogServer[];
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
  /**
   * Returns the server of the tool with this name or id (`server:tool`), for a caller that names no server. Throws if
   * several servers have a tool with this name, if none has, or if the right server may still be starting.
   */
  serverOf(tool: string): string;
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
    if (serverName === BUILT_IN_SERVER && bare === READ_RESULT.name && !snapshot().tools.has(READ_RESULT.id))
      return READ_RESULT;
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
    builtInServers: () => [...snapshot().servers.values()].filter(isBuiltIn),
    pending: () => refresh.pending(),
    starts: () => refresh.starts(),
    failed: () => [...snapshot().servers.values()].filter(isFailed),
    server: async (name, options) => orThrow(name, await lookup.list(name, options)),
    find,
    serverOf: (name) => serverOfTool(name, parts),
    async tool(serverName, name, options) {
      const found = await find(serverName, name, options);
      assertNotQuarantined(found);
      return found;
    },
  };
}

function serverOfTool(name: string, { snapshot, refresh, nearest }: CatalogFinderParts): string {
  const visible = [...snapshot().tools.values()].filter((tool) => tool.enabled && tool.quarantine === undefined);
  const found = visible.filter((tool) => tool.name === name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.server;
  if (only !== undefined) throw ambiguousTool(name, found);
  if (name === READ_RESULT.name || name === READ_RESULT.id) return BUILT_IN_SERVER;
  // The name may be an id. The tools of its server may be unknown, so `find` looks for the tool.
  const named = [...snapshot().servers.keys()].filter((server) => name.startsWith(`${server}:`));
  const [longest] = named.sort((a, b) => b.length - a.length);
  if (longest !== undefined) return longest;
  const starts = refresh.starts();
  if (starts.length > 0) throw unknownWhileStarting(name, starts);
  const near = nearest(name, new Set(visible.map((tool) => tool.name)));
  const candidates = visible.filter((tool) => near.includes(tool.name)).slice(0, MAX_CANDIDATES);
  throw new DiscoveryError("TOOL_NOT_FOUND", `No server has a tool named "${name}".`, {
    tool: name,
    hint: candidates.length > 0 ? didYouMean(candidates.map(({ id }) => id)) : { action: "search" },
    facts: { nearest: candidates.map(({ id }) => id) },
  });
}

const MAX_CANDIDATES = 5;

function ambiguousTool(name: string, found: readonly Tool[]): DiscoveryError {
  const [first] = found;
  const ids = found.slice(0, MAX_CANDIDATES).map(({ id }) => id);
  const more = found.length - ids.length;
  const listed = `${ids.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return new DiscoveryError("INVALID_REQUEST", `${found.length} servers have a tool named "${name}": ${listed}.`, {
    tool: name,
    hint: ["Name the server, for example:", { action: "execute", server: first?.server ?? "", tool: name }],
    facts: { candidates: ids },
  });
}

/** The error for a tool that no known server has, while the tools of other servers are not known yet. */
function unknownWhileStarting(name: string, starts: readonly PendingServer[]): DiscoveryError {
  const message = `No server has a tool named "${name}" yet. ${describePending(starts)}`;
  return new DiscoveryError("UPSTREAM_STARTING", message, {
    tool: name,
    hint: { action: "retry", afterSeconds: RETRY_AFTER_SECONDS },
    facts: { retry_after_seconds: RETRY_AFTER_SECONDS },
  });
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
      ? didYouMean(near)
      : [...servers.values()].every(isBuiltIn)
        ? ["No server is configured.", { action: "run-command", command: "anygpt mcp add", purpose: "add one" }]
        : { action: "list-servers" };
  return new DiscoveryError("SERVER_NOT_FOUND", `No server is named "${name}".`, {
    server: name,
    hint,
    facts: { nearest: near },
  });
}

function didYouMean(names: readonly string[]): string {
  return `Did you mean ${names.join(" or ")}?`;
}

function toolNotFound({ tools, definition }: CatalogServer, name: string, nearest: NearestNames): DiscoveryError {
  const server = definition.name;
  const visible = tools.filter((tool) => tool.enabled).map((tool) => tool.name);
  const near = nearest(name, visible);
  const all =
    near.length === 0 && visible.length > 0 && visible.length <= MAX_LISTED_TOOLS
      ? [`${server} has these tools: ${visible.join(", ")}.`]
      : [];
  const first: string | NextStep = near.length > 0 ? didYouMean(near) : { action: "search" };
  return new DiscoveryError("TOOL_NOT_FOUND", `No tool is named "${toolId(server, name)}".`, {
    server,
    tool: name,
    hint: [first, ...all],
    facts: { nearest: near.map((tool) => toolId(server, tool)) },
  });
}
