// The stages, introduced to each other in the order in which data flows through them.
import type { Books } from "./books.js";
import { createCatalog } from "./catalog/catalog.js";
import { createCatalogDisk } from "./catalog/disk.js";
import { createFailures } from "./catalog/failures.js";
import { createPinning } from "./catalog/pinning.js";
import { createLookup, type Lookup } from "./catalog/lookup.js";
import { createRefresh, type Refresh } from "./catalog/refresh.js";
import { rememberedDisk } from "./catalog/remembered.js";
import { foreignTools, type Snapshot } from "./catalog/snapshot.js";
import type { LoadedConfig } from "./config/load.js";
import type { Config } from "./config/options.js";
import { createVariables, type Variables } from "./config/variables.js";
import { openDirectory } from "./directory/directory.js";
import type { DiscoveryError } from "./errors.js";
import { type Execution, openExecution } from "./execution.js";
import type { KeptResults } from "./executor/kept-results.js";
import type { Repeats } from "./executor/repeats.js";
import type { Validation } from "./executor/validation.js";
import { createDiscovery, type Discovery, type Indexers } from "./metatools/discovery.js";
import { loadOwnModel } from "./own-model.js";
import type { Meaning } from "./search/meaning/meaning.js";
import { notesFor, noticesOf } from "./notices.js";
import type { Observers } from "./observing/observers.js";
import { type Place, signalFiles } from "./place.js";
import { ownServers } from "./own-server.js";
import { openProfiles, type Profiles } from "./profiles.js";
import { type CompiledRules, compileRules } from "./rules/compile.js";
import { decide } from "./rules/decide.js";
import { findIneffectiveRules, type RuleWarning } from "./rules/lint.js";
import { findServers, type FoundServers } from "./servers.js";
import { isClaimed } from "./tool-files.js";
import { createTargets, type FindTarget } from "./targets.js";
import { targetParts } from "./target-parts.js";
import { isInstalling, type Upstreams } from "./upstreams/types.js";
import { createNarrow, type Wish } from "./views.js";

/** What lives as long as the engine, however often the configuration changes. */
export interface Foundation {
  readonly upstreams: Upstreams;
  readonly validation: Validation;
  readonly kept: KeptResults;
  readonly repeats: Repeats;
  readonly indexers: Indexers;
  /** Who watches calls and searches; undefined when nobody does. */
  readonly observers: Observers | undefined;
  /** The stages in force; undefined while the first are being composed. */
  readonly current: () => Stages | undefined;
  /** To be called when there are other tools than before. */
  readonly catalogChanged: () => void;
  /** Why the configuration could not be replaced by what the files say now. */
  readonly failure: () => DiscoveryError | undefined;
}

/** What one configuration amounts to; a reload builds it anew. */
export interface Stages extends Execution, Profiles {
  readonly place: Place;
  readonly books: Books;
  readonly loaded: LoadedConfig;
  readonly config: Config;
  readonly collected: FoundServers;
  readonly rules: CompiledRules;
  readonly snapshot: () => Snapshot;
  readonly load: () => Promise<void>;
  readonly refresh: Refresh;
  readonly lookup: Lookup;
  readonly discovery: Discovery;
  readonly kept: KeptResults;
  readonly upstreams: Upstreams;
  readonly target: FindTarget;
  readonly variables: Variables;
  /** The same for servers that tool files describe. */
  readonly filed: Variables;
  /** Files whose change makes a difference; they need not exist. */
  readonly watched: readonly string[];
  /** What a person should know though nothing is wrong. */
  readonly notices: () => readonly string[];
  /** Rules that match no known tool or never decide; true only when all servers are known. */
  readonly ruleWarnings: () => readonly RuleWarning[];
  /** The same for a caller who sees less, or wants it in another form. */
  readonly narrow: (wish: Wish) => Promise<Stages>;
}

export interface ComposeParts {
  readonly books: Books;
  readonly loaded: LoadedConfig;
  readonly place: Place;
  readonly foundation: Foundation;
  /** What these are to replace: what it knows of servers that stay is known here at once. */
  readonly previous?: Stages;
}

export async function compose({ loaded, place, foundation, books, previous }: ComposeParts): Promise<Stages> {
  const { config } = loaded;
  const { now, log, warn } = place;
  const { upstreams, kept, observers, indexers } = foundation;

  const admits = (file: string, bytes: Uint8Array): boolean =>
    loaded.trustsFolder || place.trust.isTrusted(file, bytes);
  const variables = createVariables({ ...place, admits });
  const versions = books.store.toolFiles;
  const collected = await findServers({ loaded, place, variables, versions, previous: previous?.collected });
  const rules = await compileRules([...config.toolRules, ...collected.toolRules]);
  const shared = config.cache.enabled ? createCatalogDisk(books.store.catalog, log) : undefined;
  const disk = previous === undefined ? shared : rememberedDisk(shared, previous.snapshot());
  const catalog = createCatalog({
    definitions: [...collected.servers, ...ownServers(config, collected.servers)],
    decide: (tool) => decide(rules, tool),
    disk,
    failures: config.cache.enabled ? createFailures(books.store.failures, log) : undefined,
    pinning: createPinning({
      pins: books.store.pins,
      mode: config.policy.pinning,
      trustNew: config.policy.preset !== "strict",
      now,
      log,
    }),
    now,
    log,
    onChange: () => foundation.catalogChanged(),
  });
  const { snapshot } = catalog;

  // Work that began before a reload must not bring back a server as it was: what counts is what is in force when it is sent.
  const inForce = (): Stages => foundation.current() ?? stages;
  // A folder into which this person puts tools may set the variables of those tools, and of nothing else.
  const filed = createVariables({ ...place, admits: (file, bytes) => isClaimed(place) || admits(file, bytes) });
  const given = targetParts({ config, place, origins: collected.origins });
  const target = createTargets(() => snapshot().servers, { variables, filed, ...given });
  const refresh = createRefresh({
    catalog,
    list: (server, signal) => upstreams.list(inForce().target(server), signal),
    isStirring: upstreams.isStirring,
    isInstalling: (server) => isInstalling(upstreams.state(server)),
    ttlMs: config.cache.ttl * 1000,
    now,
    elapsed: place.elapsed,
    log,
  });
  const ttlMs = config.cache.ttl * 1000;
  const lookup = createLookup({ catalog, refresh, remembers: config.cache.enabled, ttlMs, now });
  const meaning = (): Promise<Meaning | undefined> => loadOwnModel(warn);
  const directory = openDirectory({ meaning });
  const found = createDiscovery({ snapshot, lookup, refresh, options: config.search, meaning, directory, indexers });
  const discovery = observers?.discovery(found, snapshot) ?? found;

  const execution = await openExecution({ ...foundation, config, place, books, rules, discovery, inForce });
  const notes = () => notesFor(loaded, collected, foundation.failure());
  const profiles = await openProfiles({ config, place, discovery, snapshot, execution, upstreams, notes });

  let narrowed: Stages["narrow"] | undefined;
  const stages: Stages = {
    place,
    loaded,
    config,
    collected,
    rules,
    snapshot,
    load: () => catalog.load(),
    refresh,
    lookup,
    discovery,
    kept,
    books,
    ...execution,
    ...profiles,
    upstreams,
    target,
    variables,
    filed,
    watched: [...loaded.watched, ...collected.files, ...variables.files, ...signalFiles(place.stateFolder)],
    notices: () => noticesOf(loaded, collected, variables),
    ruleWarnings: () => findIneffectiveRules(rules, foreignTools(snapshot())),
    narrow: (wish) => (narrowed ??= createNarrow(stages, { meaning, observers }))(wish),
  };
  return stages;
}
