// The types of the components that are created for one configuration, and of those that outlive it.
import type { ToolUsage } from "../metatools/tool-usage.js";
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

/** Components that exist as long as the engine, however often the configuration changes. */
export interface Foundation {
  readonly upstreams: Upstreams;
  readonly validation: Validation;
  readonly storedResults: StoredResults;
  readonly repeats: Repeats;
  readonly indexers: Indexers;
  /** Which tools each caller has used. It outlives a reload. */
  readonly toolUsage: ToolUsage;
  /** Reports calls and searches to metrics, traces and the log; undefined if all three are disabled. */
  readonly observers: Observers | undefined;
  /** Returns the components of the current configuration; undefined while the first ones are being created. */
  readonly current: () => Stages | undefined;
  /** Notifies the listeners that the set of tools has changed. */
  readonly catalogChanged: () => void;
  /** Returns why the last reload failed; undefined if it succeeded. */
  readonly failure: () => DiscoveryError | undefined;
}

/** A loaded configuration, and the servers and tool rules that it defines. */
export interface Configured {
  readonly loaded: LoadedConfig;
  readonly config: Config;
  readonly configuredServers: FoundServers;
  readonly rules: CompiledRules;
  readonly variables: Variables;
  /** Resolves the variables of servers that are defined in tool files. */
  readonly toolFileVariables: Variables;
  /** Files whose change requires a reload; they need not exist. */
  readonly watched: readonly string[];
  /** Messages for the user that are not errors. */
  readonly notices: () => readonly string[];
  /** Notes that are shown with the list of servers and say why servers may be missing. */
  readonly notes: () => readonly string[];
  /**
   * Returns the tool rules that match no known tool or are always overridden by other rules. Correct only if the tools
   * of all servers are known.
   */
  readonly ruleWarnings: () => readonly RuleWarning[];
}

/** The catalog of all servers' tools, and the functions that search it. */
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

/** The runtime environment and the stored data of the gateway. */
export interface Services {
  readonly runtime: RuntimeEnvironment;
  readonly persistence: Persistence;
  readonly storedResults: StoredResults;
}

/** All components that are created for one configuration. A reload creates new ones. */
export interface Stages extends Configured, CatalogAccess, ConnectionAccess, Services, Execution, Profiles {
  /** Returns the components for a caller that sees fewer tools or uses another profile or mode. */
  readonly scopedView: (options: ViewOptions) => Promise<Stages>;
}
