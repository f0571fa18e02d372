// The stages of a configuration and what a caller wants come in; the same stages go out as this caller may see them.
// What a view does not show does not exist there: not in lists, searches, counts, suggestions, errors or waits.
import type { Lookup } from "./catalog/lookup.js";
import type { Refresh } from "./catalog/refresh.js";
import { type CatalogServer, isOwn, type Snapshot } from "./catalog/snapshot.js";
import { DiscoveryError } from "./errors.js";
import { createDiscovery, type Discovery, type DiscoveryParts } from "./metatools/discovery.js";
import type { Config } from "./config/options.js";
import type { Execution } from "./execution.js";
import type { Tool } from "./model/tool.js";
import type { Place } from "./place.js";
import type { Observers } from "./observing/observers.js";
import { openProfiles, type Profiles } from "./profiles.js";
import { compileRules } from "./rules/compile.js";
import { decide } from "./rules/decide.js";
import type { Upstreams } from "./upstreams/types.js";

/** What a caller wants of a gateway, where it is not what the configuration says. */
export interface Wish {
  readonly view?: string | undefined;
  readonly profile?: "discovery" | "gateway" | undefined;
  readonly mode?: "lazy" | "full" | undefined;
}

export interface View {
  sees(tool: Pick<Tool, "server" | "name">): boolean;
  /** Whether a server may be told of whose tools nobody knows yet. */
  mayName(server: string): boolean;
}

/** What of the stages depends on what is seen, and what it is made of. */
export interface Narrowable extends Execution, Profiles, Catalogued {
  readonly config: Config;
  readonly place: Place;
  readonly discovery: Discovery;
  readonly upstreams: Upstreams;
  readonly notices: () => readonly string[];
}

interface Catalogued {
  readonly snapshot: () => Snapshot;
  readonly lookup: Lookup;
  readonly refresh: Refresh;
}

export interface NarrowParts extends Pick<DiscoveryParts, "meaning"> {
  readonly observers?: Observers | undefined;
}

/** Each view is made once, when the first caller wants it. */
export function createNarrow<Stages extends Narrowable>(
  whole: Stages,
  parts: NarrowParts,
): (wish: Wish) => Promise<Stages> {
  const made = new Map<string, Promise<Stages>>();
  return (wish) => {
    const { view, profile = whole.config.profile, mode = whole.config.mode } = wish;
    if (view === undefined && profile === whole.config.profile && mode === whole.config.mode) {
      return Promise.resolve(whole);
    }
    const key = JSON.stringify([view, profile, mode]);
    const known = made.get(key) ?? narrow(whole, { view, profile, mode }, parts);
    made.set(key, known);
    return known;
  };
}

async function narrow<Stages extends Narrowable>(
  whole: Stages,
  { view: name, profile, mode }: Wish & Pick<Config, "profile" | "mode">,
  { meaning, observers }: NarrowParts,
): Promise<Stages> {
  const config = { ...whole.config, profile, mode };
  const { place, upstreams } = whole;
  const seen = name === undefined ? whole : await narrowCatalog(whole, name);
  const { snapshot, lookup, refresh } = seen;
  const found =
    name === undefined
      ? undefined
      : createDiscovery({ snapshot, lookup, refresh, options: config.search, ...(meaning && { meaning }) });
  const discovery = found === undefined ? whole.discovery : (observers?.discovery(found, snapshot) ?? found);
  const execution = { ...whole, execute: name === undefined ? whole.execute : whole.executeAmong(discovery) };
  const notes = name === undefined ? whole.notices : () => [];
  const profiles = await openProfiles({ config, place, discovery, snapshot, execution, upstreams, notes });
  return { ...whole, ...profiles, config, snapshot, lookup, refresh, discovery, execute: execution.execute };
}

async function narrowCatalog(whole: Narrowable, name: string): Promise<Catalogued> {
  const view = await compileView(whole.config.policy.views, name);
  const snapshot = narrowSnapshot(whole.snapshot, view);
  return {
    snapshot,
    lookup: narrowLookup(whole, snapshot, view),
    refresh: narrowRefresh(whole.refresh, snapshot, view),
  };
}

type Views = Config["policy"]["views"];

/** A view shows what its patterns name, in the words of `toolRules`. */
export async function compileView(views: Views, name: string): Promise<View> {
  const written = Object.hasOwn(views, name) ? views[name] : undefined;
  if (written === undefined) {
    throw new DiscoveryError("INVALID_REQUEST", `There is no view "${name}".`, {
      hint: "Views are written in policy.views of the gateway's configuration.",
    });
  }
  const { tools = "*", servers } = written;
  const pattern = typeof tools === "string" ? [tools] : [...tools];
  const named = (servers ?? []).map((server) => ({ server, pattern: ["*"] }));
  const [shown, told] = await Promise.all([
    compileRules(servers === undefined ? [{ pattern }] : servers.map((server) => ({ server, pattern }))),
    compileRules(named),
  ]);
  return {
    sees: ({ server, name: tool }) => decide(shown, { server, name: tool }).applied.length > 0,
    mayName: (server) => decide(told, { server, name: "" }).applied.length > 0,
  };
}

/** The same objects as long as nothing changes, so that what is built on them can be kept. */
function narrowSnapshot(whole: () => Snapshot, view: View): () => Snapshot {
  const seenOf = new WeakMap<readonly Tool[], readonly Tool[]>();
  const seenIn = (tools: readonly Tool[]): readonly Tool[] => {
    const known = seenOf.get(tools) ?? tools.filter((tool) => view.sees(tool));
    seenOf.set(tools, known);
    return known;
  };
  let last: { readonly whole: Snapshot; readonly seen: Snapshot } | undefined;
  return () => {
    const now = whole();
    if (last?.whole === now) return last.seen;
    const servers = new Map<string, CatalogServer>();
    for (const [name, server] of now.servers) {
      // The gateway's own tools are about all servers: only who names them has them.
      if (isOwn(server) && !view.mayName(name)) continue;
      const tools = seenIn(server.tools);
      const isNamed = tools.length > 0 || (server.tools.length === 0 && view.mayName(name));
      if (isNamed) servers.set(name, { ...server, ...onlyOf(server, tools), tools });
    }
    const isSame = last !== undefined && last.whole.tools === now.tools && last.seen.servers.size === servers.size;
    const tools = isSame && last !== undefined ? last.seen.tools : toTools(servers);
    last = { whole: now, seen: { servers, tools } };
    return last.seen;
  };
}

/** What a server says of itself as a whole may speak of tools that are not seen. */
function onlyOf(
  { record, definition }: CatalogServer,
  tools: readonly Tool[],
): Pick<CatalogServer, "record" | "definition"> {
  const names = new Set(tools.map(({ name }) => name));
  const { manifest, files } = definition;
  const kept = {
    ...definition,
    manifest: manifest.filter(({ name }) => names.has(name)),
    ...(files === undefined ? {} : { files: files.filter((filed) => names.has(filed.definition.name)) }),
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

/** A server that is not seen is not asked either: how long an answer takes would tell of it. */
function narrowLookup({ lookup }: Catalogued, snapshot: () => Snapshot, view: View): Lookup {
  const isSeen = (name: string): boolean => snapshot().servers.has(name) || view.mayName(name);
  type Look = Lookup["server"];
  const seen =
    (look: Look): Look =>
    async (name, patience) => {
      if (!isSeen(name)) return undefined;
      await look(name, patience);
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

function narrowRefresh(refresh: Refresh, snapshot: () => Snapshot, view: View): Refresh {
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
