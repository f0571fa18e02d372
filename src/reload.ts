// What a reload changed, for people.
import type { Stages } from "./compose.js";
import type { Config } from "./config/options.js";
import { signalFiles } from "./place.js";
import { canonicalJson } from "./util/json/canonical.js";

/** Names of servers by what became of them, and the other sections that are not what they were. */
export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly sections: readonly string[];
}

/** A server also counts as changed when its connection was dropped because a variable has another value. */
export function differenceOf(before: Stages, after: Stages, dropped: readonly string[]): Difference {
  const old = new Map(before.collected.servers.map((server) => [server.name, server]));
  const now = new Map(after.collected.servers.map((server) => [server.name, server]));
  const isChanged = (name: string): boolean =>
    old.has(name) && (dropped.includes(name) || !isEqual(old.get(name), now.get(name)));
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now.keys()].filter(isChanged),
    sections: SECTIONS.filter((section) => !isEqual(before.config[section], after.config[section])),
  };
}

/** Whether nothing came of reading other programs' files again: they write to them all the time, about other things. */
export function isAsBefore(before: Stages, after: Stages): boolean {
  const said = ({ collected: { servers, toolRules, sources, files }, notices }: Stages) => {
    return { servers, toolRules, sources, files, notices: notices() };
  };
  return isEqual(said(before), said(after));
}

/** Whether all of the files are other programs' and the configuration does not consist of them. */
export function areForeign(files: readonly string[], { loaded, collected, variables, place }: Stages): boolean {
  const own = new Set([...loaded.watched, ...variables.files, ...signalFiles(place.stateFolder)]);
  return files.every((file) => collected.files.includes(file) && !own.has(file));
}

export function isNothing(difference: Difference): boolean {
  return Object.values(difference).every((names: readonly string[]) => names.length === 0);
}

export const NOTHING: Difference = { added: [], removed: [], changed: [], sections: [] };

const SECTIONS = ["enabled", "toolRules", "search", "cache", "audit", "upstreams", "execution"] as const;

/** `2 servers added (a, b), 1 removed (c); toolRules changed`, or that nothing did. */
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
  return parts.length === 0 ? "servers and sections are as they were" : parts.join("; ");
}

const MOST_NAMES = 5;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Options that do not take effect at once, and why. */
export function lateOptions(before: Config, after: Config): string[] {
  const ofConnections = PER_CONNECTION.filter((key) => before.upstreams[key] !== after.upstreams[key]);
  return [
    ...(ofConnections.length === 0
      ? []
      : [`upstreams: ${ofConnections.join(", ")} takes effect for connections that are opened from now on.`]),
    ...(before.execution.keepResultsMs === after.execution.keepResultsMs
      ? []
      : ["execution.keepResultsMs takes effect at the next start: results are kept as long as was promised."]),
    ...(isEqual(before.observability, after.observability) ? [] : ["observability takes effect at the next start."]),
    ...(isEqual(fixedOf(before.http), fixedOf(after.http))
      ? []
      : ["http takes effect at the next start, but for who may call and from where."]),
  ];
}

/** Fixed when a connection is opened; the others are looked up each time. */
const PER_CONNECTION = ["listTimeoutMs", "pulseTimeoutMs", "writeTimeoutMs", "maxMessageBytes"] as const;

/** Who may call, and from where, is looked up for each request. */
function fixedOf({
  tokens: _tokens,
  oauth: _oauth,
  hosts: _hosts,
  origins: _origins,
  ...rest
}: Config["http"]): object {
  return rest;
}

function isEqual(before: unknown, after: unknown): boolean {
  return canonicalJson({ value: before }) === canonicalJson({ value: after });
}
