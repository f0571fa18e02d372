// The stages, introduced to each other in the order in which data flows through them.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { AuditLog } from "./audit/audit-log.js";
import { createCatalog } from "./catalog/catalog.js";
import { createCatalogDisk } from "./catalog/disk.js";
import { createLookup, type Lookup } from "./catalog/lookup.js";
import { createRefresh, type Refresh } from "./catalog/refresh.js";
import type { Snapshot } from "./catalog/snapshot.js";
import type { LoadedConfig } from "./config/load.js";
import type { Config } from "./config/options.js";
import { createVariables, resolveConnection, type Variables } from "./config/variables.js";
import { createExecute, type Execute } from "./executor/execute.js";
import type { KeptResults } from "./executor/kept-results.js";
import { toAuditRecord } from "./executor/to-audit-record.js";
import type { Validation } from "./executor/validation.js";
import { createDiscovery, type Discovery } from "./metatools/discovery.js";
import { discoveryProfile } from "./metatools/discovery-profile.js";
import type { MetaTool } from "./metatools/meta-tool.js";
import type { ServerDefinition } from "./model/server.js";
import type { Place } from "./place.js";
import { type CompiledRules, compileRules } from "./rules/compile.js";
import { decide } from "./rules/decide.js";
import { explain } from "./rules/explain.js";
import { findIneffectiveRules, type RuleWarning } from "./rules/lint.js";
import { type Collected, collectServers } from "./sources/collect.js";
import type { Upstreams, UpstreamTarget } from "./upstreams/types.js";
import { describeProblem } from "./util/document/problem.js";

/** What lives as long as the engine, however often the configuration changes. */
export interface Foundation {
  readonly upstreams: Upstreams;
  readonly validation: Validation;
  readonly kept: KeptResults;
}

/** What one configuration amounts to; a reload builds it anew. */
export interface Stages {
  readonly place: Place;
  readonly loaded: LoadedConfig;
  readonly config: Config;
  readonly collected: Collected;
  readonly rules: CompiledRules;
  readonly snapshot: () => Snapshot;
  readonly load: () => Promise<void>;
  readonly refresh: Refresh;
  readonly lookup: Lookup;
  readonly discovery: Discovery;
  readonly kept: KeptResults;
  readonly execute: Execute;
  readonly metaTools: readonly MetaTool[];
  readonly upstreams: Upstreams;
  readonly target: (server: string) => UpstreamTarget;
  /** What a person should know though nothing is wrong. */
  readonly notices: () => readonly string[];
  /** Rules that match no known tool or never decide; true only when all servers are known. */
  readonly ruleWarnings: () => readonly RuleWarning[];
}

export interface ComposeParts {
  /** Absent when it is switched off. */
  readonly audit: AuditLog | undefined;
  readonly loaded: LoadedConfig;
  readonly place: Place;
  readonly foundation: Foundation;
}

export async function compose({ loaded, place, foundation, audit }: ComposeParts): Promise<Stages> {
  const { config, baseDir } = loaded;
  const { now, log, home } = place;
  const { upstreams, validation, kept } = foundation;

  const variables = createVariables(place);
  const collected = config.enabled
    ? await collectServers({
        servers: config.servers,
        sources: config.sources,
        baseDir,
        home,
        resolve: (text) => variables.resolve(text),
        ...(loaded.file === undefined ? {} : { file: loaded.file }),
      })
    : { servers: [], sources: [], problems: [], notices: [] };
  const rules = await compileRules(config.toolRules);
  const disk = config.cache.enabled ? createCatalogDisk(join(place.stateFolder, "catalog"), log) : undefined;
  const catalog = createCatalog({
    definitions: collected.servers,
    decide: (tool) => decide(rules, tool),
    disk,
    now,
    log,
  });
  const { snapshot } = catalog;

  const target = createTargets(collected.servers, variables, snapshot);
  const refresh = createRefresh({
    catalog,
    list: (server, signal) => upstreams.list(target(server), signal),
    ttlMs: config.cache.ttl * 1000,
    now,
    elapsed: place.elapsed,
    log,
  });
  const lookup = createLookup({
    catalog,
    refresh,
    remembers: config.cache.enabled,
    ttlMs: config.cache.ttl * 1000,
    now,
  });
  const discovery = createDiscovery({ snapshot, lookup, refresh, options: config.search });

  const execute = createExecute({
    resolve: ({ server, tool }, waitMs, signal) => discovery.tool(server, tool, { waitMs, ...(signal && { signal }) }),
    explain: (tool) => explain(rules, decide(rules, tool)),
    validation,
    send: (tool, call, signal) => upstreams.call(target(tool.server), { ...call, tool: tool.name }, signal),
    assertRecordable: async () => await audit?.prepare(),
    record: async (entry) => await audit?.record(await toAuditRecord(entry, audit)),
    limit: { bytes: config.execution.resultLimit, kept },
    options: config.execution,
    startWaitMs: config.upstreams.startWaitMs,
    now,
    elapsed: place.elapsed,
    newId: randomUUID,
    log,
  });
  const metaTools = discoveryProfile({ discovery, execute, upstreamState: (server) => upstreams.state(server) });

  const load = () => catalog.load();
  const notices = () => [
    ...loaded.notices,
    ...collected.notices,
    ...collected.problems.map(describeProblem),
    ...variables.notices(),
  ];
  return {
    place,
    loaded,
    config,
    collected,
    rules,
    snapshot,
    load,
    refresh,
    lookup,
    discovery,
    kept,
    execute,
    metaTools,
    upstreams,
    target,
    notices,
    ruleWarnings: () => findIneffectiveRules(rules, [...snapshot().tools.values()]),
  };
}

function createTargets(
  servers: readonly ServerDefinition[],
  variables: Variables,
  snapshot: () => Snapshot,
): (server: string) => UpstreamTarget {
  const byName = new Map(servers.map((server) => [server.name, server]));
  return (name) => {
    const definition = byName.get(name);
    if (definition === undefined) throw new TypeError(`No definition of ${name}.`);
    const era = snapshot().servers.get(name)?.record?.era;
    return {
      name,
      connection: (noteSecret) => resolveConnection(definition.connection, variables, noteSecret),
      ...(era === undefined ? {} : { eraHint: era }),
    };
  };
}
