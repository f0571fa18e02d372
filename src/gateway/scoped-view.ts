// Creates components for a caller that sees only the servers and tools of a view, or that uses another profile or mode.
// Servers and tools outside the view must not be observable: not in lists, searches, counts, suggestions, errors or
// delays.
import type { CatalogLookup } from "../catalog/lookup.js";
import type { Refresh } from "../catalog/refresh.js";
import { type CatalogServer, isBuiltIn, type Snapshot } from "../catalog/snapshot.js";
import { DiscoveryError } from "../errors.js";
import { createDiscovery, type Discovery, type DiscoveryParts } from "../metatools/discovery.js";
import type { Config } from "../config/options.js";
import type { Execution } from "./execution.js";
import type { Tool } from "../model/tool.js";
import type { RuntimeEnvironment } from "./runtime-environment.js";
import type { Observers } from "./observing/observers.js";
import { openProfiles, type Profiles } from "./profiles.js";
import { compileRules } from "../rules/compile.js";
import { decideRules } from "../rules/decide.js";
import type { Upstreams } from "../upstreams/types.js";

/** The view, profile and mode of one caller. Without a profile or mode, the value in the configuration applies. */
export interface ViewOptions {
  readonly view?: string | undefined;
  readonly profile?: "discovery" | "gateway" | undefined;
  readonly mode?: "lazy" | "full" | undefined;
}

export interface View {
  /** Whether the tool is in the view. */
  sees(tool: Pick<Tool, "server" | "name">): boolean;
  /** Whether callers may see the server's name even if its tools are not known yet. */
  mayName(server: string): boolean;
}

/** The components that a view replaces, and the components that are needed to create the replacements. */
export interface ViewSource extends Execution, Profiles, CatalogParts {
  readonly config: Config;
  readonly runtime: RuntimeEnvironment;
  readonly discovery: Discovery;
  readonly upstreams: Upstreams;
  readonly notes: () => readonly string[];
}

interface CatalogParts {
  readonly snapshot: () => Snapshot;
  readonly lookup: CatalogLookup;
  readonly refresh: Refresh;
}

export interface ScopedViewParts extends Pick<DiscoveryParts, "meaning" | "usage"> {
  readonly observers?: Observers | undefined;
}

/** Returns a function that creates each view on its first use and then reuses it. */
export function createScopedViews<Stages extends ViewSource>(
  all: Stages,
  parts: ScopedViewParts,
): (options: ViewOptions) => Promise<Stages> {
  const views = new Map<string, Promise<Stages>>();
  return (options) => {
    const { view, profile = all.config.profile, mode = all.config.mode } = options;
    if (view === undefined && profile === all.config.profile && mode === all.config.mode) {
      return Promise.resolve(all);
    }
    const key = JSON.stringify([view, profile, mode]);
    const known = views.get(key) ?? createView(all, { view, profile, mode }, parts);
    views.set(key, known);
    return known;
  };
}

async function createView<Stages extends ViewSource>(
  all: Stages,
  { view: name, profile, mode }: ViewOptions & Pick<Config, "profile" | "mode">,
  { meaning, observers, usage }: ScopedViewParts,
): Promise<Stages> {
  const config = { ...all.config, profile, mode };
  const { runtime, upstreams } = all;
  const seen = name === undefined ? all : await scopeCatalog(all, name);
  const { snapshot, lookup, refresh } = seen;
  const found =
    name === undefined
      ? undefined
      : createDiscovery({
          snapshot,
          lookup,
          refresh,
          options: config.search,
          ...(usage && { usage }),
          ...(meaning && { meaning }),
        });
  const discovery = found === undefined ? all.discovery : (observers?.discovery(found, snapshot) ?? found);
  const execution = { ...all, execute: name === undefined ? all.execute : all.executeAmong(discovery) };
  const notes = name === undefined ? all.notes : () => [];
  const profiles = await openProfiles({ config, runtime, discovery, snapshot, execution, upstreams, notes });
  return { ...all, ...profiles, config, snapshot, lookup, refresh, discovery, execute: execution.execute };
}

async function scopeCatalog(all: ViewSource, name: string): Promise<CatalogParts> {
  const view = await compileView(all.config.policy.views, name);
  const snapshot = scopeSnapshot(all.snapshot, view);
  return {
    snapshot,
    lookup: scopeLookup(all, snapshot, view),
    refresh: scopeRefresh(all.refresh, snapshot, view),
  };
}

type Views = Config["policy"]["views"];

/**
 * Compiles the view with the given name in `policy.views`. Its patterns have the same syntax as those in `toolRules`.
 */
export async function compileView(views: Views, name: string): Promise<View> {
  const configured = Object.hasOwn(views, name) ? views[name] : undefined;
  if (configured === undefined) {
    throw new DiscoveryError("INVALID_REQUEST", `No view is named "${name}".`, {
      hint: { action: "edit-config", key: "policy.views", change: "add", value: `the view "${name}"` },
    });
  }
  const { tools = "*", servers } = configured;
  const pattern = typeof tools === "string" ? [tools] : [...tools];
  const named = (servers ?? []).map((server) => ({ server, pattern: ["*"] }));
  const [toolRules, serverRules] = await Promise.all([
    compileRules(servers === undefined ? [{ pattern }] : servers.map((server) => ({ server, pattern }))),
    compileRules(named),
  ]);
  return {
    sees: ({ server, name: tool }) => decideRules(toolRules, { server, name: tool }).applied.length > 0,
    mayName: (server) => decideRules(serverRules, { server, name: "" }).applied.length > 0,
  };
}

/**
 * Returns a function that restricts the catalog to a view. It returns the same objects as long as nothing changes, so
 * that indexes built on them can be reused.
 */
function scopeSnapshot(all: () => Snapshot, view: View): () => Snapshot {
  const seenOf = new WeakMap<readonly Tool[], readonly Tool[]>();
  const seenIn = (tools: readonly Tool[]): readonly Tool[] => {
    const known = seenOf.get(tools) ?? tools.filter((tool) => view.sees(tool));
    seenOf.set(tools, known);
    return known;
  };
  let last: { readonly all: Snapshot; readonly seen: Snapshot } | undefined;
  return () => {
    const now = all();
    if (last?.all === now) return last.seen;
    const servers = new Map<string, CatalogServer>();
    for (const [name, server] of now.servers) {
      // The built-in tools give access to all servers, so a view contains them only if it names their server.
      if (isBuiltIn(server) && !view.mayName(name)) continue;
      const tools = seenIn(server.tools);
      const isNamed = tools.length > 0 || (server.tools.length === 0 && view.mayName(name));
      if (isNamed) servers.set(name, { ...server, ...withoutHidden(server, tools), tools });
    }
    const isSame = last !== undefined && last.all.tools === now.tools && last.seen.servers.size === servers.size;
    const tools = isSame && last !== undefined ? last.seen.tools : toTools(servers);
    last = { all: now, seen: { servers, tools } };
    return last.seen;
  };
}

/** Removes data that may reveal tools outside the view, such as the server's instructions. */
function withoutHidden(
  { record, definition }: CatalogServer,
  tools: readonly Tool[],
): Pick<CatalogServer, "record" | "definition"> {
  const names = new Set(tools.map(({ name }) => name));
  const { manifest, files } = definition;
  const kept = {
    ...definition,
    manifest: manifest.filter(({ name }) => names.has(name)),
    ...(files === undefined ? {} : { files: files.filter((file) => names.has(file.definition.name)) }),
  };
  if (record === undefined) return { record, definition: kept };
  const { instructions: _all, ...rest } = record;
  return {
    definition: kept,
    record: {
      ...rest,
      tools: record.tools.filter(({ name }) => names.has(name)),
      dropped: [],
      changes: record.changes.filter(({ tool }) => names.has(tool)),
    },
  };
}

function toTools(servers: ReadonlyMap<string, CatalogServer>): Map<string, Tool> {
  return new Map([...servers.values()].flatMap(({ tools }) => tools.map((tool) => [tool.id, tool] as const)));
}

/**
 * Restricts catalog look-ups to a view. A server outside the view is not contacted, because the response time would
 * reveal that it exists.
 */
function scopeLookup({ lookup }: CatalogParts, snapshot: () => Snapshot, view: View): CatalogLookup {
  const isSeen = (name: string): boolean => snapshot().servers.has(name) || view.mayName(name);
  type Look = CatalogLookup["server"];
  const seen =
    (look: Look): Look =>
    async (name, options) => {
      if (!isSeen(name)) return undefined;
      await look(name, options);
      return snapshot().servers.get(name);
    };
  return {
    server: seen(lookup.server),
    list: seen(lookup.list),
    refreshed: seen(lookup.refreshed),
    rechecked: seen((name) => lookup.rechecked(name)),
    counts: lookup.counts,
  };
}

function scopeRefresh(refresh: Refresh, snapshot: () => Snapshot, view: View): Refresh {
  const isSeen = (name: string): boolean => snapshot().servers.has(name) || view.mayName(name);
  const pending = (): string[] => refresh.pending().filter(isSeen);
  return {
    ...refresh,
    pending,
    starts: () => refresh.starts().filter(({ name }) => isSeen(name)),
    whenKnown: (ms, signal) => (pending().length === 0 ? Promise.resolve() : refresh.whenKnown(ms, signal)),
    whenSettled: (ms, wanted) => (pending().length === 0 ? Promise.resolve() : refresh.whenSettled(ms, wanted)),
  };
}
