import { createCatalog } from "../../catalog/catalog.js";
import { createCatalogLookup } from "../../catalog/lookup.js";
import { createRefresh } from "../../catalog/refresh.js";
import { type Snapshot, toSnapshot } from "../../catalog/snapshot.js";
import { createDiscovery } from "../../metatools/discovery.js";
import { loadBundledModel } from "../../search/meaning/bundled-model.js";
import type { Meaning } from "../../search/meaning/meaning.js";
import type { FoundTools } from "../../metatools/found-tools.js";
import type { ServerDefinition } from "../../model/server.js";
import { type Tool, type ToolDefinition, toolId } from "../../model/tool.js";
import type { SearchOptions } from "../../search/options.js";
import type { EvalTool } from "./evaluation-files.js";

/** Tools from files, searched by the same code as the tools of live servers. */
export interface StaticCatalog {
  readonly snapshot: Snapshot;
  /**
   * Returns what an agent finds if a rule disables the hidden tools. Wait for each search before you start the next.
   */
  search(query: string, hidden: ReadonlySet<string>): Promise<FoundTools>;
}

export interface StaticCatalogParts {
  readonly options: SearchOptions;
  /** Called with the reason if the embedding model cannot be used. */
  readonly warn: (message: string) => void;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Creates a catalog from tools. Of several tools with the same id, uses only the first. Connects to no server. */
export function createStaticCatalog(tools: readonly EvalTool[], { options, warn }: StaticCatalogParts): StaticCatalog {
  const { definitions, tags } = toDefinitions(tools);
  const environment = { now: Date.now, elapsed: Date.now, log: () => undefined, ttlMs: Infinity };
  const catalog = createCatalog({
    ...environment,
    definitions,
    decide: ({ server, name }) => ({ enabled: true, tags: tags.get(toolId(server, name)) ?? [] }),
    disk: undefined,
  });
  const list = (server: string): Promise<never> =>
    Promise.reject(new TypeError(`${server} has no connection: its tools come from a file.`));
  const refresh = createRefresh({
    ...environment,
    catalog,
    list,
    isProcessActive: () => undefined,
    isInstalling: () => false,
  });
  const lookup = createCatalogLookup({ ...environment, catalog, refresh, isCacheEnabled: true });
  let hiddenNow = NOTHING;
  const snapshot = toHideable(catalog.snapshot(), (id) => hiddenNow.has(id));
  const meaning = (): Promise<Meaning | undefined> => loadBundledModel(warn);
  const discovery = createDiscovery({ snapshot: () => snapshot, lookup, refresh, options, meaning });
  return {
    snapshot,
    async search(query, hidden) {
      hiddenNow = hidden;
      return await discovery.search({ query });
    },
  };
}

/** Makes tools hideable: `enabled` is computed at each search, so that hiding tools does not need a new index. */
function toHideable(snapshot: Snapshot, isHidden: (id: string) => boolean): Snapshot {
  const hideable = (tool: Tool): Tool => ({
    id: tool.id,
    server: tool.server,
    name: tool.name,
    definition: tool.definition,
    tags: tool.tags,
    get hash() {
      return tool.hash;
    },
    get enabled() {
      return !isHidden(tool.id);
    },
  });
  const servers = [...snapshot.servers.values()];
  return toSnapshot(servers.map((server) => ({ ...server, tools: server.tools.map(hideable) })));
}

function toDefinitions(tools: readonly EvalTool[]) {
  const manifests = new Map<string, ToolDefinition[]>();
  const tags = new Map<string, readonly string[]>();
  for (const { server, tags: own, definition } of tools) {
    const id = toolId(server, definition.name);
    if (tags.has(id)) continue;
    tags.set(id, own);
    const manifest = manifests.get(server) ?? [];
    manifests.set(server, manifest);
    manifest.push(definition);
  }
  const connection = { kind: "stdio", command: "", args: [], env: {} } as const;
  const definitions = [...manifests].map(
    ([name, manifest]): ServerDefinition => ({ name, connection, manifest, origin: "file" }),
  );
  return { definitions, tags };
}
