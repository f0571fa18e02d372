// The catalog and the search index come in; servers, hits, lists and details go out, for all surfaces alike.
// It refuses to know protocols and presentation.
import type { Lookup, Patience } from "../catalog/lookup.js";
import { assertShown } from "../catalog/quarantine.js";
import type { Refresh } from "../catalog/refresh.js";
import { type CatalogServer, isOwn, type Snapshot } from "../catalog/snapshot.js";
import type { PendingServer } from "../catalog/starts.js";
import type { Directory } from "../directory/directory.js";
import { DiscoveryError } from "../errors.js";
import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { toolId } from "../model/tool.js";
import type { SearchDocument } from "../search/fields.js";
import { nearestNames } from "../search/nearest.js";
import { createIndexer, type DocumentGroup, type Indexer } from "../search/indexer.js";
import type { Meaning } from "../search/meaning/meaning.js";
import type { SearchIndex } from "../search/search-index.js";
import type { SearchOptions } from "../search/options.js";
import type { FoundTools } from "./found-tools.js";
import { suggestInstallable } from "./suggest-installable.js";
import { toSearchDocument } from "./search-document.js";

export interface DiscoveryParts {
  readonly snapshot: () => Snapshot;
  readonly lookup: Lookup;
  readonly refresh: Refresh;
  readonly options: SearchOptions;
  /** What tells texts of the same meaning, if anything does; asked for by the first search. */
  readonly meaning?: () => Promise<Meaning | undefined>;
  /** Public servers that could be added, for searches that find nothing. */
  readonly directory?: Directory;
  /** What was read of the tools under an earlier configuration, and is to be kept for the next one. */
  readonly indexers?: Indexers;
}

/** By whether they tell meaning. */
export type Indexers = Map<boolean, Promise<Indexer>>;

export interface SearchRequest {
  readonly query: string;
  readonly server?: string | undefined;
  /** Asked of each tool before anything is cut. */
  readonly isMeant?: ((tool: Tool) => boolean) | undefined;
  readonly limit?: number | undefined;
  /** In place of the configuration's, for who judges the hits by itself. */
  readonly minRelevance?: number | undefined;
  readonly includeDisabled?: boolean | undefined;
  /** Longest wait for servers that have not answered yet; 1.5 s when left out. */
  readonly waitMs?: number | undefined;
  /** Whether each hit tells what it was found by. */
  readonly explain?: boolean | undefined;
  /** Protocol metadata of the caller's request, for who watches. */
  readonly meta?: JsonObject | undefined;
}

export interface Discovery {
  servers(): readonly CatalogServer[];
  pending(): readonly string[];
  /** The same with how far each of them is. */
  starts(): readonly PendingServer[];
  /** Servers that could not be asked and whose tools are not known. */
  failed(): readonly CatalogServer[];
  search(request: SearchRequest): Promise<FoundTools>;
  /** The server and its tools, asked first if they are not known; SERVER_NOT_FOUND with the nearest names. */
  server(name: string, patience?: Patience): Promise<CatalogServer>;
  /** The tool, disabled or kept back or not; TOOL_NOT_FOUND with the nearest names. */
  find(server: string, name: string, patience?: Patience): Promise<Tool>;
  /** The same for who wants to read its definition: TOOL_QUARANTINED when it is kept back. */
  tool(server: string, name: string, patience?: Patience): Promise<Tool>;
}

/** A search that comes while first-time servers are being asked waits this long for them, unless they hang. */
const FIRST_TIME_WAIT_MS = 1500;
/** A server with at most this many tools has them all named when one is not found. */
const FEW_TOOLS = 12;

export function createDiscovery(parts: DiscoveryParts): Discovery {
  const { snapshot, lookup, refresh, options, meaning, directory, indexers = new Map() as Indexers } = parts;
  let indexed: { tools: Snapshot["tools"]; index: Promise<SearchIndex> } | undefined;

  const indexOf = (current: Snapshot): Promise<SearchIndex> => {
    if (indexed?.tools !== current.tools) {
      const indexer = indexers.get(options.semantic) ?? openIndexer(options.semantic ? meaning : undefined);
      indexers.clear();
      indexers.set(options.semantic, indexer);
      const groups = [...current.servers.values()].map(toGroup);
      const index = indexer.then((one) => one.index(groups));
      // What failed once may work the next time.
      index.catch(() => {
        indexers.clear();
        indexed = undefined;
      });
      indexed = { tools: current.tools, index };
    }
    return indexed.index;
  };

  const orThrow = (name: string, found: CatalogServer | undefined): CatalogServer => {
    if (found === undefined) throw serverNotFound(name, snapshot());
    return found;
  };

  const find = async (serverName: string, name: string, patience?: Patience): Promise<Tool> => {
    // An agent may pass the whole id where the name belongs.
    const bare = name.startsWith(`${serverName}:`) ? name.slice(serverName.length + 1) : name;
    const pick = ({ tools }: CatalogServer): Tool | undefined =>
      tools.find((tool) => tool.name === name) ??
      tools.find((tool) => tool.name === bare) ??
      tools.find((tool) => tool.file?.id === bare);
    const known = pick(orThrow(serverName, await lookup.server(serverName, patience)));
    if (known !== undefined && known.quarantine === undefined) return known;
    // It may have been approved, or may have come, since the server was asked.
    const server = orThrow(
      serverName,
      known === undefined ? await lookup.refreshed(serverName, patience) : await lookup.rechecked(serverName),
    );
    const found = pick(server);
    if (found === undefined) throw toolNotFound(serverName, name, server.tools);
    return found;
  };

  const failed = (): CatalogServer[] => [...snapshot().servers.values()].filter(isFailed);

  return {
    servers: () => [...snapshot().servers.values()].filter((server) => !isOwn(server)),
    pending: () => refresh.pending(),
    starts: () => refresh.starts(),
    failed,
    server: async (name, patience) => orThrow(name, await lookup.list(name, patience)),

    async search({
      query,
      server: only,
      isMeant,
      limit,
      minRelevance,
      waitMs,
      includeDisabled = false,
      explain = false,
    }) {
      if (only !== undefined && !snapshot().servers.has(only)) throw serverNotFound(only, snapshot());
      await refresh.whenSettled(waitMs ?? FIRST_TIME_WAIT_MS, { server: only });
      const current = snapshot();
      const accepts = (id: string): boolean => {
        const tool = current.tools.get(id);
        if (tool === undefined || tool.quarantine !== undefined) return false;
        if (isMeant !== undefined && !isMeant(tool)) return false;
        return (includeDisabled || tool.enabled) && (only === undefined || tool.server === only);
      };
      const index = await indexOf(current);
      const answer = index.search(query, {
        limit: limit ?? options.limit,
        minRelevance: minRelevance ?? options.minRelevance,
        accepts,
      });
      const hits = withFileNamed(query, current, answer.hits, accepts).flatMap(({ id, relevance }) => {
        const tool = current.tools.get(id);
        if (tool === undefined) return [];
        const describe = (): SearchDocument => toSearchDocument(tool, current.servers.get(tool.server));
        return [{ tool, relevance, ...(explain ? { why: index.explain(query, describe()) } : {}) }];
      });
      const { more, suggestions } = answer;
      const isSearched = (name: string): boolean => only === undefined || only === name;
      const pending = refresh.starts().filter(({ name }) => isSearched(name));
      const isWhole = only === undefined && isMeant === undefined && pending.length === 0;
      const installable =
        hits.length === 0 && isWhole && options.suggestions ? await suggestInstallable(query, current, directory) : [];
      return {
        hits,
        more,
        suggestions,
        pending,
        failed: failed().filter(({ definition }) => isSearched(definition.name)),
        ...(installable.length > 0 ? { installable } : {}),
      };
    },

    find,
    async tool(serverName, name, patience) {
      const found = await find(serverName, name, patience);
      assertShown(found);
      return found;
    },
  };
}

interface Hit {
  readonly id: string;
  readonly relevance: number;
}

/** Who asks for the very name of a tool file means that tool. */
function withFileNamed(
  query: string,
  { servers }: Snapshot,
  hits: readonly Hit[],
  accepts: (id: string) => boolean,
): readonly Hit[] {
  const name = query.trim();
  for (const { definition, tools } of servers.values()) {
    if (definition.files === undefined) continue;
    const tool = tools.find(({ id, file }) => file?.id === name && accepts(id));
    if (tool !== undefined) return [{ id: tool.id, relevance: 1 }, ...hits.filter(({ id }) => id !== tool.id)];
  }
  return hits;
}

function isFailed({ failure, tools }: CatalogServer): boolean {
  return failure !== undefined && tools.length === 0;
}

async function openIndexer(meaning: DiscoveryParts["meaning"]): Promise<Indexer> {
  return createIndexer({ meaning: await meaning?.() });
}

function toGroup(server: CatalogServer): DocumentGroup {
  return { key: server.tools, documents: () => server.tools.map((tool) => toSearchDocument(tool, server)) };
}

function serverNotFound(name: string, current: Snapshot): DiscoveryError {
  const near = nearestNames(name, current.servers.keys());
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : [...current.servers.values()].every(isOwn)
        ? "No server is configured; add some to the gateway's configuration."
        : "list_mcp_servers names all servers.";
  return new DiscoveryError("SERVER_NOT_FOUND", `No server is named "${name}".`, {
    server: name,
    hint,
    facts: { nearest: near },
  });
}

function toolNotFound(server: string, name: string, tools: readonly Tool[]): DiscoveryError {
  const visible = tools.filter((tool) => tool.enabled).map((tool) => tool.name);
  const near = nearestNames(name, visible);
  const all = visible.length > 0 && visible.length <= FEW_TOOLS ? ` ${server} has: ${visible.join(", ")}.` : "";
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "search_tools finds tools by what they do.";
  return new DiscoveryError("TOOL_NOT_FOUND", `No tool is named "${toolId(server, name)}".`, {
    server,
    tool: name,
    hint: `${hint}${all}`,
    facts: { nearest: near.map((tool) => toolId(server, tool)) },
  });
}
