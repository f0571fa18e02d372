// Creates the components for one configuration and connects them, in the order in which data flows through them.
import type { Persistence } from "./persistence.js";
import { createCatalog } from "../catalog/catalog.js";
import { createCatalogDisk } from "../catalog/disk.js";
import { createFailureMemory } from "../catalog/failure-memory.js";
import { createPinning } from "../catalog/pinning.js";
import { createCatalogLookup } from "../catalog/lookup.js";
import { createRefresh } from "../catalog/refresh.js";
import { rememberedDisk } from "../catalog/remembered.js";
import { foreignTools } from "../catalog/snapshot.js";
import type { LoadedConfig } from "../config/load.js";
import { createVariables } from "../config/variables.js";
import { openDirectory } from "../directory/directory.js";
import { openExecution } from "./execution.js";
import { createDiscovery } from "../metatools/discovery.js";
import { loadBundledModel } from "../search/meaning/bundled-model.js";
import type { Meaning } from "../search/meaning/meaning.js";
import { notesFor, noticesOf } from "./notices.js";
import { type RuntimeEnvironment, signalFiles } from "./runtime-environment.js";
import { builtInServers } from "../built-in/server.js";
import { openProfiles } from "./profiles.js";
import { compileRules } from "../rules/compile.js";
import { decideRules } from "../rules/decide.js";
import { findIneffectiveRules } from "../rules/lint.js";
import { disabledNames, findConfiguredServers } from "./configured-servers.js";
import { isFolderClaimed } from "./tool-files.js";
import { cannotStart } from "./connections/cannot-start.js";
import { circumstancesOf, createConnectionResolver } from "./connections/connection-resolver.js";
import { connectionResolverParts } from "./connections/connection-resolver-parts.js";
import { isInstalling } from "../upstreams/types.js";
import type { Foundation, Stages } from "./stages.js";
import { createScopedViews } from "./scoped-view.js";

export interface ComposeParts {
  readonly persistence: Persistence;
  readonly loaded: LoadedConfig;
  readonly runtime: RuntimeEnvironment;
  readonly foundation: Foundation;
  /**
   * Set during a reload: the components of the previous configuration. The known tools of unchanged servers are taken
   * over from them.
   */
  readonly previous?: Stages;
}

export async function compose({ loaded, runtime, foundation, persistence, previous }: ComposeParts): Promise<Stages> {
  const { config } = loaded;
  const { now, log, warn } = runtime;
  const ttlMs = config.cache.ttl * 1000;
  const { upstreams, storedResults, observers, indexers, toolUsage } = foundation;

  const admits = (file: string, bytes: Uint8Array): boolean =>
    loaded.trustsFolder || runtime.trust.isTrusted(file, bytes);
  const variables = createVariables({ ...runtime, admits });
  const versions = persistence.store.toolFiles;
  const collected = await findConfiguredServers({
    loaded,
    runtime,
    variables,
    versions,
    previous: previous?.configuredServers,
  });
  const rules = await compileRules([...config.toolRules, ...collected.toolRules]);
  const shared = config.cache.enabled ? createCatalogDisk(persistence.store.catalog, log) : undefined;
  const disk = previous === undefined ? shared : rememberedDisk(shared, previous.snapshot());
  const catalog = createCatalog({
    definitions: [...collected.servers, ...builtInServers(config, collected.servers)],
    decide: (tool) => decideRules(rules, tool),
    disk,
    failures: config.cache.enabled ? createFailureMemory(persistence.store.failures, log) : undefined,
    pinning: createPinning({
      pins: persistence.store.pins,
      mode: config.policy.pinning,
      trustNew: config.policy.preset !== "strict",
      now,
      log,
    }),
    circumstances: (server) => circumstancesOf(resolveConnection(server), runtime.env),
    now,
    log,
    onChange: () => foundation.catalogChanged(),
  });
  const { snapshot } = catalog;
  // The components that are current when a request is sent: work that began before a reload must use the new
  // configuration.
  const current = (): Stages => foundation.current() ?? stages;
  // If the user has written tool files to a folder, the `.env` file of that folder may set the variables that those
  // tool files need, but not the variables of other servers.
  const toolFileVariables = createVariables({
    ...runtime,
    admits: (file, bytes) => isFolderClaimed(runtime) || admits(file, bytes),
  });
  const resolverParts = connectionResolverParts({ config, runtime, origins: collected.origins });
  const resolveConnection = createConnectionResolver(() => snapshot().servers, {
    variables,
    toolFileVariables,
    ...resolverParts,
  });
  const refresh = createRefresh({
    catalog,
    list: (server, signal) => upstreams.list(current().resolveConnection(server), signal),
    isProcessActive: upstreams.isProcessActive,
    isInstalling: (server) => isInstalling(upstreams.state(server)),
    cannotStart: (server) => cannotStart(() => current().resolveConnection(server), runtime),
    needsInstallation: (server) => upstreams.needsInstallation(current().resolveConnection(server).withoutSecrets()),
    ttlMs,
    now,
    elapsed: runtime.elapsed,
    log,
  });
  const lookup = createCatalogLookup({ catalog, refresh, isCacheEnabled: config.cache.enabled, ttlMs, now });
  const meaning = (): Promise<Meaning | undefined> => loadBundledModel(warn);
  const directory = openDirectory({ meaning });
  const search = {
    options: config.search,
    meaning,
    directory,
    indexers,
    usage: toolUsage,
    disabled: disabledNames(config),
  };
  const found = createDiscovery({ snapshot, lookup, refresh, ...search });
  const discovery = observers?.discovery(found, snapshot) ?? found;

  const execution = await openExecution({
    ...foundation,
    config,
    runtime,
    persistence,
    rules,
    finder: discovery,
    relist: (server) => current().refresh.changed(server),
    current,
  });
  const notes = () => notesFor(loaded, collected, foundation.failure());
  const profiles = await openProfiles({ config, runtime, discovery, snapshot, execution, upstreams, notes });

  let scopedViews: Stages["scopedView"] | undefined;
  const stages: Stages = {
    runtime,
    loaded,
    config,
    configuredServers: collected,
    rules,
    snapshot,
    load: () => catalog.load(),
    refresh,
    lookup,
    discovery,
    storedResults,
    persistence,
    ...execution,
    ...profiles,
    upstreams,
    resolveConnection,
    variables,
    toolFileVariables,
    watched: [...loaded.watched, ...collected.files, ...variables.files, ...signalFiles(runtime.stateFolder)],
    notices: () => noticesOf(loaded, collected, variables),
    notes,
    ruleWarnings: () => findIneffectiveRules(rules, foreignTools(snapshot())),
    scopedView: (options) =>
      (scopedViews ??= createScopedViews(stages, { meaning, observers, usage: toolUsage }))(options),
  };
  return stages;
}
