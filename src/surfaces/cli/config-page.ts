import { basename } from "node:path";
import { foreignTools, isOwn } from "../../catalog/snapshot.js";
import type { Stages } from "../../compose.js";
import type { LoadedConfig } from "../../config/load.js";
import type { Config } from "../../config/options.js";
import type { Connection, ServerDefinition } from "../../model/server.js";
import { describeRule } from "../../rules/explain.js";
import { untrustedFiles } from "../../notices.js";
import type { SourceReport } from "../../sources/report.js";
import { storeFile } from "../../store/create-store.js";

/** `partial`: some of its entries were left out, the message says why. */
export interface ListedSource extends Omit<SourceReport, "status"> {
  readonly status: SourceReport["status"] | "partial";
}

/** Where something was written; null for what no file holds. */
export interface Written {
  readonly file: string | null;
  readonly line?: number;
  readonly column?: number;
}

export interface ListedRule extends Written {
  readonly rule: string;
}

export interface ListedServer extends Written {
  readonly name: string;
  readonly kind: Connection["kind"];
  /** The program whose file it was found in. */
  readonly client?: string;
  /** The program's name, or the address without anything that may be secret. */
  readonly reach: string;
}

/** The policy in short. */
export interface ListedPolicy extends Pick<Config["policy"], "preset" | "confirmation" | "pinning"> {
  readonly keyRequiredFrom: Config["policy"]["idempotency"]["requiredFrom"];
  /** How many entries each list has. */
  readonly entries: Readonly<Record<"risk" | "distrust" | "scopes" | "rateLimits" | "buckets" | "idempotency", number>>;
}

/** The configuration as a person may see it: of a connection only what cannot be secret. */
export interface ConfigPage {
  readonly file: string | null;
  readonly origin: LoadedConfig["origin"];
  /** Files of the project that were left out. */
  readonly untrusted: readonly string[];
  readonly enabled: boolean;
  readonly cache: { readonly enabled: boolean; readonly ttl: number };
  readonly sources: readonly ListedSource[];
  /** Whether the sources are those of every MCP client on this machine, and whether the configuration says so. */
  readonly allClients: "named" | "implicit" | "no";
  /** With no configuration: other programs that would be asked, and have no file here. */
  readonly absent: readonly ListedSource[];
  readonly toolRules: readonly ListedRule[];
  readonly search: Config["search"];
  readonly execution: Config["execution"];
  readonly upstreams: Config["upstreams"];
  readonly policy: ListedPolicy;
  readonly audit: Config["audit"];
  /** The database file with everything that has to outlive a process. */
  readonly store: string;
  readonly servers: {
    readonly configured: number;
    readonly known: number;
    readonly inline: number;
    readonly list: readonly ListedServer[];
  };
  readonly tools: { readonly total: number; readonly enabled: number };
  readonly notices: readonly string[];
}

export function toConfigPage({ place, loaded, config, collected, rules, snapshot }: Stages): ConfigPage {
  const { servers } = snapshot();
  const tools = foreignTools({ servers });
  const known = [...servers.values()].filter(
    (server) => !isOwn(server) && (server.record !== undefined || server.tools.length > 0),
  );
  return {
    file: loaded.file ?? null,
    origin: loaded.origin,
    untrusted: untrustedFiles(loaded, collected),
    enabled: config.enabled,
    cache: config.cache,
    sources: collected.sources.map((source) =>
      source.status === "ok" && source.message !== undefined ? { ...source, status: "partial" } : source,
    ),
    allClients: config.sources !== "all" ? "no" : loaded.isImplicit ? "implicit" : "named",
    absent: collected.absent,
    toolRules: rules.rules.map(({ authored }, index) => ({
      rule: describeRule(authored),
      ...whereRule(index, { loaded, config, servers: collected.servers, server: authored.server }),
    })),
    search: config.search,
    execution: config.execution,
    upstreams: config.upstreams,
    policy: toListedPolicy(config.policy),
    audit: config.audit,
    store: config.store ?? storeFile(place.stateFolder),
    servers: {
      configured: collected.servers.length,
      known: known.length,
      inline: config.servers.filter(({ enabled }) => enabled).length,
      list: collected.servers.map((server) => ({
        name: server.name,
        kind: server.connection.kind,
        reach: reachOf(server.connection),
        ...whereServer(server, { loaded, config, collected }),
      })),
    },
    tools: { total: tools.length, enabled: tools.filter(({ enabled }) => enabled).length },
    notices: [...loaded.notices, ...collected.notices],
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

interface RulePlace {
  readonly loaded: LoadedConfig;
  readonly config: Config;
  readonly servers: readonly ServerDefinition[];
  readonly server: string | undefined;
}

/** Rules beyond the configuration's own come with a server from another program's file. */
function whereRule(index: number, { loaded, config, servers, server }: RulePlace): Written {
  if (index < config.toolRules.length) return { file: loaded.file ?? null, ...loaded.positionOf(["toolRules", index]) };
  return { file: servers.find(({ name }) => name === server)?.origin ?? null };
}

type ServerPlaces = Pick<Stages, "loaded" | "config" | "collected">;

export function whereServer(
  { name, origin }: ServerDefinition,
  { loaded, config, collected }: ServerPlaces,
): Written & Pick<ListedServer, "client"> {
  const found = collected.origins.get(name);
  if (found !== undefined) {
    const { client, file, line, column } = found;
    return { client, file, ...(line === undefined || column === undefined ? {} : { line, column }) };
  }
  if (origin !== (loaded.file ?? "inline")) return { file: origin };
  const index = config.servers.findIndex((entry) => entry.name === name);
  const section = loaded.positionOf(["servers"]);
  const inMap = loaded.positionOf(["servers", name]);
  // A list has no member of that name, and answers with its own place.
  const isMap = inMap?.line !== section?.line || inMap?.column !== section?.column;
  return { file: loaded.file ?? null, ...(isMap ? inMap : loaded.positionOf(["servers", index])) };
}

function reachOf(connection: Connection): string {
  if (connection.kind === "built-in") return "(built in)";
  if (connection.kind === "stdio") return basename(connection.command);
  const url = connection.kind === "rest" ? (connection.baseUrl ?? connection.document) : connection.url;
  return URL.canParse(url) && !url.includes("${") ? new URL(url).origin : "(address with variables)";
}
