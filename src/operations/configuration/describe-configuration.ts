import { basename } from "node:path";
import { foreignTools, isBuiltIn } from "../../catalog/snapshot.js";
import type { Stages } from "../../gateway/stages.js";
import type { LoadedConfig, LoadedOrigin } from "../../config/load.js";
import type { DiscoveryConfig } from "../../config/discovery-config.js";
import type { Config } from "../../config/options.js";
import type { ConnectionKind, ServerConnection, ServerDefinition } from "../../model/server.js";
import { describeRule } from "../../rules/explain.js";
import type { DiscoveryEngine } from "../../engine.js";
import { openCatalog } from "../open-catalog.js";
import { untrustedFiles } from "../../gateway/notices.js";
import type { SourceReport } from "../../sources/report.js";
import { storeFile } from "../../store/create-store.js";

/** A source of servers. `partial`: the gateway ignores some entries of the source, and `message` gives the reasons. */
export interface ListedSource extends Omit<SourceReport, "status"> {
  readonly status: SourceReport["status"] | "partial";
}

/** The position of an entry in its file. `file` is null for an entry that does not come from a file. */
export interface ConfigOrigin {
  readonly file: string | null;
  readonly line?: number;
  readonly column?: number;
}

/** A tool rule and its origin. */
export interface ListedRule extends ConfigOrigin {
  readonly rule: string;
}

/** A configured server and its origin. */
export interface ConfiguredServerLine extends ConfigOrigin {
  readonly name: string;
  readonly kind: ConnectionKind;
  /** The MCP client whose file contains the server. */
  readonly client?: string;
  /** How to reach the server: the name of the program, or the origin of the URL. Contains no secret. */
  readonly reach: string;
}

/** The configuration after defaults were applied: every option has a value, set by the user or its default. */
type Complete<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]-?: Complete<Exclude<Value[Key], undefined>> }
    : Value;

/** One section of the configuration, with defaults. */
type Section<Name extends keyof DiscoveryConfig> = Complete<NonNullable<DiscoveryConfig[Name]>>;

/** The policy without its lists of tools. */
export interface ListedPolicy extends Pick<Section<"policy">, "preset" | "confirmation" | "pinning"> {
  /** The lowest risk at which a call needs an idempotency key, for the profile `gateway` and for all other profiles. */
  readonly keyRequiredFrom: Section<"policy">["idempotency"]["requiredFrom"];
  /** The number of entries in each list of the policy. */
  readonly entries: Readonly<Record<"risk" | "distrust" | "scopes" | "rateLimits" | "buckets" | "idempotency", number>>;
}

/**
 * The effective configuration. Contains no secrets: a connection is reduced to the program name or the origin of the
 * URL.
 */
export interface ConfigPage {
  readonly file: string | null;
  readonly origin: LoadedOrigin;
  /** Files of the project that the gateway ignores because the user has not trusted them. */
  readonly untrusted: readonly string[];
  readonly enabled: boolean;
  readonly cache: { readonly enabled: boolean; readonly ttl: number };
  readonly sources: readonly ListedSource[];
  /**
   * Whether the gateway reads the files of all MCP clients. `named`: because of `sources: all`. `implicit`: because the
   * configuration lists no servers.
   */
  readonly allClients: "named" | "implicit" | "no";
  /** The MCP clients that have no file on this machine. Empty unless `sources` is `all`, explicitly or by default. */
  readonly absent: readonly ListedSource[];
  readonly toolRules: readonly ListedRule[];
  readonly search: Section<"search">;
  readonly execution: Section<"execution">;
  readonly results: Section<"results">;
  readonly upstreams: Section<"upstreams">;
  readonly policy: ListedPolicy;
  readonly audit: Section<"audit">;
  /** The path of the gateway's database file. */
  readonly store: string;
  readonly servers: {
    readonly configured: number;
    readonly known: number;
    readonly inline: number;
    readonly list: readonly ConfiguredServerLine[];
  };
  readonly tools: { readonly total: number; readonly enabled: number };
  readonly notices: readonly string[];
}

/** Returns the effective configuration and the stored facts about its servers. Starts no server. */
export async function describeConfiguration(engine: DiscoveryEngine): Promise<ConfigPage> {
  return describeStages(await openCatalog(engine));
}

export function describeStages({ runtime, loaded, config, configuredServers, rules, snapshot }: Stages): ConfigPage {
  const { servers } = snapshot();
  const tools = foreignTools({ servers });
  const known = [...servers.values()].filter(
    (server) => !isBuiltIn(server) && (server.record !== undefined || server.tools.length > 0),
  );
  return {
    file: loaded.file ?? null,
    origin: loaded.origin,
    untrusted: untrustedFiles(loaded, configuredServers),
    enabled: config.enabled,
    cache: config.cache,
    sources: configuredServers.sources.map((source) =>
      source.status === "ok" && source.message !== undefined ? { ...source, status: "partial" } : source,
    ),
    allClients: config.sources !== "all" ? "no" : loaded.isImplicit ? "implicit" : "named",
    absent: configuredServers.absent,
    toolRules: rules.rules.map(({ authored }, index) => ({
      rule: describeRule(authored),
      ...whereRule(index, { loaded, config, servers: configuredServers.servers, server: authored.server }),
    })),
    search: config.search,
    execution: config.execution,
    results: config.results,
    upstreams: config.upstreams,
    policy: toListedPolicy(config.policy),
    audit: config.audit,
    store: config.store ?? storeFile(runtime.stateFolder),
    servers: {
      configured: configuredServers.servers.length,
      known: known.length,
      inline: config.servers.filter(({ enabled }) => enabled).length,
      list: configuredServers.servers.map((server) => ({
        name: server.name,
        kind: server.connection.kind,
        reach: reachOf(server.connection),
        ...whereServer(server, { loaded, config, configuredServers }),
      })),
    },
    tools: { total: tools.length, enabled: tools.filter(({ enabled }) => enabled).length },
    notices: [...loaded.notices, ...configuredServers.notices],
  };
}

function toListedPolicy(policy: Config["policy"]): ListedPolicy {
  const { preset, confirmation, pinning, idempotency } = policy;
  return {
    preset,
    confirmation,
    pinning,
    keyRequiredFrom: idempotency.requiredFrom,
    entries: {
      risk: policy.risk.length,
      distrust: policy.distrust.length,
      scopes: policy.scopes.length,
      rateLimits: policy.rateLimits.length,
      buckets: Object.keys(policy.buckets).length,
      idempotency: idempotency.tools.length,
    },
  };
}

interface RuleContext {
  readonly loaded: LoadedConfig;
  readonly config: Config;
  readonly servers: readonly ServerDefinition[];
  readonly server: string | undefined;
}

/**
 * Where a rule is defined. A rule whose index is beyond the rules of the configuration comes from the MCP client's file
 * that defines the server.
 */
function whereRule(index: number, { loaded, config, servers, server }: RuleContext): ConfigOrigin {
  if (index < config.toolRules.length) return { file: loaded.file ?? null, ...loaded.positionOf(["toolRules", index]) };
  return { file: servers.find(({ name }) => name === server)?.origin ?? null };
}

type ServerContext = Pick<Stages, "loaded" | "config" | "configuredServers">;

export function whereServer(
  { name, origin }: ServerDefinition,
  { loaded, config, configuredServers }: ServerContext,
): ConfigOrigin & Pick<ConfiguredServerLine, "client"> {
  const found = configuredServers.origins.get(name);
  if (found !== undefined) {
    const { client, file, line, column } = found;
    return { client, file, ...(line === undefined || column === undefined ? {} : { line, column }) };
  }
  if (origin !== (loaded.file ?? "inline")) return { file: origin };
  const index = config.servers.findIndex((entry) => entry.name === name);
  const section = loaded.positionOf(["servers"]);
  const inMap = loaded.positionOf(["servers", name]);
  // If `servers` is a list, it has no key with the server's name, and `positionOf` returns the position of the list.
  const isMap = inMap?.line !== section?.line || inMap?.column !== section?.column;
  return { file: loaded.file ?? null, ...(isMap ? inMap : loaded.positionOf(["servers", index])) };
}

function reachOf(connection: ServerConnection): string {
  if (connection.kind === "built-in") return "(built in)";
  if (connection.kind === "stdio") return basename(connection.command);
  const url = connection.kind === "rest" ? (connection.baseUrl ?? connection.document) : connection.url;
  return URL.canParse(url) && !url.includes("${") ? new URL(url).origin : "(address with variables)";
}
