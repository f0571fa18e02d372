// The stages of one configuration: small interfaces, each for one purpose.
import type { CatalogLookup } from "../catalog/lookup.js";
import type { Refresh } from "../catalog/refresh.js";
import type { Snapshot } from "../catalog/snapshot.js";
import type { LoadedConfig } from "../config/load.js";
import type { Config } from "../config/options.js";
import type { Variables } from "../config/variables.js";
import type { DiscoveryError } from "../errors.js";
import type { Repeats } from "../executor/repeats.js";
import type { StoredResults } from "../executor/stored-results.js";
import type { Validation } from "../executor/validation.js";
import type { Discovery, Indexers } from "../metatools/discovery.js";
import type { CompiledRules } from "../rules/compile.js";
import type { RuleWarning } from "../rules/lint.js";
import type { Upstreams } from "../upstreams/types.js";
import type { FoundServers } from "./configured-servers.js";
import type { ResolveConnection } from "./connections/connection-resolver.js";
import type { Execution } from "./execution.js";
import type { Observers } from "./observing/observers.js";
import type { Persistence } from "./persistence.js";
import type { Profiles } from "./profiles.js";
import type { RuntimeEnvironment } from "./runtime-environment.js";
import type { ViewOptions } from "./scoped-view.js";

/** Parts that live as long as the engine, however often the configuration changes. */
export interface Foundation {
  readonly upstreams: Upstreams;
  readonly validation: Validation;
  readonly storedResults: StoredResults;
  readonly repeats: Repeats;
  readonly indexers: Indexers;
  /** Reports calls and searches to metrics and traces; undefined when neither is enabled. */
  readonly observers: Observers | undefined;
  /** The current stages; undefined while the first ones are being composed. */
  readonly current: () => Stages | undefined;
  /** Must be called when the set of tools changed. */
  readonly catalogChanged: () => void;
  /** Why the last reload failed; undefined when it did not. */
  readonly failure: () => DiscoveryError | undefined;
}

/** The current configuration and the servers and rules that it defines. */
export interface Configured {
  readonly loaded: LoadedConfig;
  readonly config: Config;
  readonly configuredServers: FoundServers;
  readonly rules: CompiledRules;
  readonly variables: Variables;
  /** The variables of servers that tool files define. */
  readonly toolFileVariables: Variables;
  /** Files whose change requires a reload; they need not exist. */
  readonly watched: readonly string[];
  /** Messages for the user that are not errors. */
  readonly notices: () => readonly string[];
  /** Rules that match no known tool or never decide. Correct only when all servers are known. */
  readonly ruleWarnings: () => readonly RuleWarning[];
}

/** The tools of all servers, and how they are found. */
export interface CatalogAccess {
  readonly snapshot: () => Snapshot;
  /** Reads the catalog from disk. */
  readonly load: () => Promise<void>;
  readonly refresh: Refresh;
  readonly lookup: CatalogLookup;
  readonly discovery: Discovery;
}

export interface ConnectionAccess {
  readonly upstreams: Upstreams;
  readonly resolveConnection: ResolveConnection;
}

/** Where the gateway runs and what it stores. */
export interface Services {
  readonly runtime: RuntimeEnvironment;
  readonly persistence: Persistence;
  readonly storedResults: StoredResults;
}

/** All parts that are created for one configuration; a reload composes new stages. */
export interface Stages extends Configured, CatalogAccess, ConnectionAccess, Services, Execution, Profiles {
  /** The same stages for a caller that sees fewer tools or uses another profile or mode. */
  readonly scopedView: (options: ViewOptions) => Promise<Stages>;
}
