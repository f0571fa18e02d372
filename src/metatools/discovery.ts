// Looks up and searches servers and tools in the catalog, for all surfaces. Depends on no protocol and does not format
// results.
import { type CatalogFinder, createCatalogFinder, serverNotFound } from "../catalog/find.js";
import type { CatalogLookup } from "../catalog/lookup.js";
import type { Refresh } from "../catalog/refresh.js";
import { type CatalogServer, isBuiltIn, type Snapshot } from "../catalog/snapshot.js";
import type { Directory } from "../directory/directory.js";
import type { CallContext } from "../model/call.js";
import type { Tool } from "../model/tool.js";
import type { SearchDocument } from "../search/fields.js";
import { nearestNames } from "../search/nearest.js";
import { createIndexer, type DocumentGroup, type Indexer } from "../search/indexer.js";
import type { Meaning } from "../search/meaning/meaning.js";
import type { SearchHit, SearchIndex } from "../search/search-index.js";
import type { SearchOptions } from "../search/options.js";
import type { FoundTool, FoundTools } from "./found-tools.js";
import type { ToolUsage } from "./tool-usage.js";
import { suggestInstallable } from "./suggest-installable.js";
import { toSearchDocument } from "./search-document.js";

export interface DiscoveryParts {
  readonly snapshot: () => Snapshot;
  readonly lookup: CatalogLookup;
  readonly refresh: Refresh;
  readonly options: SearchOptions;
  /** Loads the embedding model for semantic search, if there is one; called by the first search. */
  readonly meaning?: () => Promise<Meaning | undefined>;
  /** The directory of public MCP servers. A search that finds no tool suggests a server from it. */
  readonly directory?: Directory;
  /** Names of servers that the configuration disables. */
  readonly disabled?: readonly string[];
  /** Which tools each caller has used in this session. */
  readonly usage?: ToolUsage;
  /** Indexers that outlive a reload of the configuration, so that unchanged tools are not indexed again. */
  readonly indexers?: Indexers;
}

/** Indexers for search. The key says whether the indexer supports semantic search. */
export type Indexers = Map<boolean, Promise<Indexer>>;

export interface SearchRequest {
  readonly query: string;
  readonly server?: string | undefined;
  /** Only tools for which this function returns true are found. Applied before `limit`. */
  readonly filter?: ((tool: Tool) => boolean) | undefined;
  readonly limit?: number | undefined;
  /** Overrides `search.minRelevance` of the configuration, for callers that filter the hits themselves. */
  readonly minRelevance?: number | undefined;
  readonly includeDisabled?: boolean | undefined;
  /**
   * How long the search waits at most for servers whose tools are not known yet, in milliseconds. Default: 1500, and
   * 5000 as long as the search finds no tool.
   */
  readonly waitMs?: number | undefined;
  /** Whether each hit lists the words of the query that matched. */
  readonly explain?: boolean | undefined;
  /** The caller's context, for traces. */
  readonly context?: CallContext | undefined;
}

/** Looks up servers and tools in the catalog, and searches for tools. */
export interface Discovery extends CatalogFinder {
  search(request: SearchRequest): Promise<FoundTools>;
}

/** How long a search waits for servers whose tools are not known yet. */
const FIRST_TIME_WAIT_MS = 1500;
/** How long a search waits in total while no tool fits, because such a result is of little use to a caller. */
const NOTHING_FOUND_WAIT_MS = 5000;

export function createDiscovery(parts: DiscoveryParts): Discovery {
  const { snapshot, lookup, refresh, options, meaning, directory, disabled = [], usage } = parts;
  const finderParts = { snapshot, lookup, refresh, disabled, nearest: nearestNames };
  const finder = createCatalogFinder(finderParts);
  const { indexers = new Map() as Indexers } = parts;
  let indexed: { tools: Snapshot["tools"]; index: Promise<SearchIndex> } | undefined;

  const indexOf = (current: Snapshot): Promise<SearchIndex> => {
    if (indexed?.tools !== current.tools) {
      const indexer = indexers.get(options.semantic) ?? openIndexer(options.semantic ? meaning : undefined);
      indexers.clear();
      indexers.set(options.semantic, indexer);
      const groups = [...current.servers.values()].map(toGroup);
      const index = indexer.then((one) => one.index(groups));
      // Do not cache the error: the next search builds the index again.
      index.catch(() => {
        indexers.clear();
        indexed = undefined;
      });
      indexed = { tools: current.tools, index };
    }
    return indexed.index;
  };

  const searchNow = async ({
    query,
    server: only,
    filter,
    limit,
    minRelevance,
    includeDisabled = false,
    explain = false,
    context,
  }: SearchRequest): Promise<FoundTools> => {
    const current = snapshot();
    const accepts = (id: string): boolean => {
      const tool = current.tools.get(id);
      if (tool === undefined || tool.quarantine !== undefined) return false;
      if (filter !== undefined && !filter(tool)) return false;
      return (includeDisabled || tool.enabled) && (only === undefined || tool.server === only);
    };
    const index = await indexOf(current);
    const ask = (isAccepted: typeof accepts) =>
      index.search(query, {
        limit: limit ?? options.limit,
        minRelevance: minRelevance ?? options.minRelevance,
        accepts: isAccepted,
        isNarrowed: only !== undefined,
        usage: options.usage ? usage?.of(context?.actor) : undefined,
      });
    const first = ask(accepts);
    // The built-in tools are about the gateway itself: they are no use as the closest tools.
    const isWithBuiltIn = first.hits.some(({ id }) => !isUpstreamId(id, current));
    const answer =
      first.fit === "none" && isWithBuiltIn ? ask((id) => accepts(id) && isUpstreamId(id, current)) : first;
    const named = withNamedFileFirst(query, current, answer.hits, accepts);
    const fit = named === answer.hits ? answer.fit : "good";
    const toFound = ({ id, relevance, step }: SearchHit): FoundTool[] => {
      const tool = current.tools.get(id);
      if (tool === undefined) return [];
      const describe = (): SearchDocument => toSearchDocument(tool, current.servers.get(tool.server));
      const why = explain ? { why: index.explain(query, describe()) } : {};
      const { tools: serverTools = [tool] } = current.servers.get(tool.server) ?? {};
      return [{ tool, serverTools, relevance, ...(step === undefined ? {} : { step }), ...why }];
    };
    const hits = named.flatMap(toFound);
    const isSearched = (name: string): boolean => only === undefined || only === name;
    const pending = refresh.starts().filter(({ name }) => isSearched(name));
    const isComplete = only === undefined && filter === undefined && pending.length === 0;
    const installable =
      fit === "none" && isComplete && options.suggestions ? await suggestInstallable(query, current, directory) : [];
    return {
      fit,
      hits,
      also: answer.also.flatMap(toFound).filter(({ tool }) => !isBuiltInName(tool.server, current)),
      missing: answer.missing,
      hasServers: [...current.servers.values()].some((one) => !isBuiltIn(one)),
      pending,
      failed: finder.failed().filter(({ definition }) => isSearched(definition.name)),
      ...(installable.length > 0 ? { installable } : {}),
    };
  };

  return {
    ...finder,
    async search(request) {
      const { server: only, waitMs } = request;
      if (only !== undefined && !snapshot().servers.has(only)) throw serverNotFound(only, finderParts);
      const began = performance.now();
      await refresh.whenSettled(waitMs ?? FIRST_TIME_WAIT_MS, { server: only });
      for (;;) {
        const { tools } = snapshot();
        const found = await searchNow(request);
        const restMs = began + NOTHING_FOUND_WAIT_MS - performance.now();
        if (waitMs !== undefined || restMs <= 0 || !found.pending.some(({ isProgressing }) => isProgressing))
          return found;
        if (found.fit !== "none" && found.hits.some(({ tool }) => !isBuiltInName(tool.server, snapshot())))
          return found;
        await refresh.whenSettled(restMs, { server: only, isEnough: () => snapshot().tools !== tools });
      }
    },
  };
}

/** If the query is the exact id of a tool file, puts the tool of that file first. */
function withNamedFileFirst(
  query: string,
  { servers }: Snapshot,
  hits: readonly SearchHit[],
  accepts: (id: string) => boolean,
): readonly SearchHit[] {
  const name = query.trim();
  for (const { definition, tools } of servers.values()) {
    if (definition.files === undefined) continue;
    const tool = tools.find(({ id, file }) => file?.id === name && accepts(id));
    if (tool !== undefined) return [{ id: tool.id, relevance: 1 }, ...hits.filter(({ id }) => id !== tool.id)];
  }
  return hits;
}

function isUpstreamId(id: string, current: Snapshot): boolean {
  const server = current.tools.get(id)?.server;
  return server !== undefined && !isBuiltInName(server, current);
}

function isBuiltInName(server: string, { servers }: Snapshot): boolean {
  const found = servers.get(server);
  return found !== undefined && isBuiltIn(found);
}

async function openIndexer(meaning: DiscoveryParts["meaning"]): Promise<Indexer> {
  return createIndexer({ meaning: await meaning?.() });
}

function toGroup(server: CatalogServer): DocumentGroup {
  return { key: server.tools, documents: () => server.tools.map((tool) => toSearchDocument(tool, server)) };
}
