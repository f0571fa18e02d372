// Compares the configurations before and after a reload, and describes the difference for the user.
import type { Configured, Services } from "./stages.js";
import type { Config } from "../config/options.js";
import { signalFiles } from "./runtime-environment.js";
import { isEqualJson } from "../util/json/is-equal.js";

/** Names of servers that were added, removed or changed, and the other sections of the configuration that changed. */
export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly sections: readonly string[];
}

/**
 * Compares two configurations. A server in `dropped` also counts as changed: its connection was closed because the
 * value of a variable changed.
 */
export function differenceOf(before: Configured, after: Configured, dropped: readonly string[]): Difference {
  const old = new Map(before.configuredServers.servers.map((server) => [server.name, server]));
  const now = new Map(after.configuredServers.servers.map((server) => [server.name, server]));
  const isChanged = (name: string): boolean =>
    old.has(name) && (dropped.includes(name) || !isEqualJson(old.get(name), now.get(name)));
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now.keys()].filter(isChanged),
    sections: SECTIONS.filter((section) => !isEqualJson(before.config[section], after.config[section])),
  };
}

/**
 * Whether the servers, rules and notices are the same. They often are, because MCP clients write to their configuration
 * files for other reasons than a change of their MCP servers.
 */
export function isUnchanged(before: Configured, after: Configured): boolean {
  const relevant = ({ configuredServers: { servers, toolRules, sources, files }, notices }: Configured) => {
    return { servers, toolRules, sources, files, notices: notices() };
  };
  return isEqualJson(relevant(before), relevant(after));
}

/**
 * Whether all these files are configuration files of MCP clients and none is part of the gateway's own configuration.
 */
export function areOfOtherPrograms(
  files: readonly string[],
  { loaded, configuredServers, variables, runtime }: Configured & Services,
): boolean {
  const own = new Set([...loaded.watched, ...variables.files, ...signalFiles(runtime.stateFolder)]);
  return files.every((file) => configuredServers.files.includes(file) && !own.has(file));
}

export function isEmpty(difference: Difference): boolean {
  return Object.values(difference).every((names: readonly string[]) => names.length === 0);
}

export const NO_DIFFERENCE: Difference = { added: [], removed: [], changed: [], sections: [] };

const SECTIONS = ["enabled", "toolRules", "search", "cache", "audit", "upstreams", "execution", "results"] as const;

/**
 * Describes a difference in one line, for example `servers: 2 added (a, b), 1 removed (c); sections changed:
 * toolRules`.
 */
export function describeDifference({ added, removed, changed, sections }: Difference): string {
  const servers = [
    { names: added, verb: "added" },
    { names: removed, verb: "removed" },
    { names: changed, verb: "changed" },
  ]
    .filter(({ names }) => names.length > 0)
    .map(({ names, verb }) => `${names.length} ${verb} (${listed(names)})`);
  const parts = [
    ...(servers.length === 0 ? [] : [`servers: ${servers.join(", ")}`]),
    ...(sections.length === 0 ? [] : [`sections changed: ${sections.join(", ")}`]),
  ];
  return parts.length === 0 ? "no server and no section changed" : parts.join("; ");
}

const MAX_NAMES = 5;

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns a message for each changed option that does not take effect at once. */
export function lateOptions(before: Config, after: Config): string[] {
  const ofConnections = PER_CONNECTION.filter((key) => before.upstreams[key] !== after.upstreams[key]);
  return [
    ...(ofConnections.length === 0
      ? []
      : [`These changed options of \`upstreams\` take effect for new connections only: ${ofConnections.join(", ")}.`]),
    ...(isEqualJson(before.observability, after.observability)
      ? []
      : ["Changes to `observability` take effect at the next start of the gateway."]),
    ...(isEqualJson(fixedOf(before.http), fixedOf(after.http))
      ? []
      : [
          "Changes to `http` take effect at the next start of the gateway, except those of `http.tokens`, `http.oauth`, `http.hosts` and `http.origins`.",
        ]),
  ];
}

/** Options of `upstreams` that are read only when a connection is opened. The other options are read on each use. */
const PER_CONNECTION = ["listTimeoutMs", "pulseTimeoutMs", "writeTimeoutMs", "maxMessageBytes"] as const;

/**
 * Returns the HTTP options that take effect only at the next start: all except those that are read for each request.
 */
function fixedOf({
  tokens: _tokens,
  oauth: _oauth,
  hosts: _hosts,
  origins: _origins,
  ...rest
}: Config["http"]): object {
  return rest;
}
