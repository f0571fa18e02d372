import type { ServerConnection, ServerDefinition } from "../model/server.js";
import { canonicalJson } from "../util/json/canonical.js";
import type { ServerCandidate } from "./candidate.js";
import type { ToolFilter } from "./imported.js";
import { isGatewayItself, type OwnProgram } from "./itself.js";

const MAX_NAME_LENGTH = 64;

/** The result of the merge for one candidate. `taken`: added under its own name. */
export type MergeOutcome =
  | { readonly kind: "taken"; readonly name: string }
  | { readonly kind: "renamed"; readonly name: string }
  | { readonly kind: "duplicate"; readonly duplicateOf: string }
  | { readonly kind: "gateway" }
  | { readonly kind: "disabled"; readonly reason: string };

export interface Merged {
  /** The servers under unique names, in the order of the groups. */
  readonly servers: readonly ServerCandidate[];
  readonly outcomes: ReadonlyMap<ServerCandidate, MergeOutcome>;
  readonly notices: readonly string[];
}

/**
 * Makes names unique, ignoring case. The first server keeps its name; another one with a different connection becomes
 * `name-2`. An entry of another file with the same connection is a duplicate, even under another name. A tool that is
 * hidden by the first entry or one of its duplicates stays hidden, unless the first entry is in the user's own
 * configuration.
 */
export function mergeServers(
  groups: readonly (readonly ServerCandidate[])[],
  own?: OwnProgram,
  switchedOff: ReadonlySet<string> = new Set(),
): Merged {
  const itself = own === undefined ? undefined : withCachedPaths(own);
  const taken = new Map<string, ServerCandidate>();
  const byConnection = new Map<string, ServerCandidate>();
  const outcomes = new Map<ServerCandidate, MergeOutcome>();
  const notices: string[] = [];

  function setOutcome(candidate: ServerCandidate, outcome: MergeOutcome, notice?: string): void {
    outcomes.set(candidate, outcome);
    if (notice !== undefined) notices.push(`The server ${shown(candidate.definition)} ${notice}`);
  }

  function take(candidate: ServerCandidate, name: string, key: string): void {
    const { definition } = candidate;
    const named = name === definition.name ? candidate : { ...candidate, definition: { ...definition, name } };
    taken.set(identity(name), named);
    if (!byConnection.has(key)) byConnection.set(key, named);
  }

  function restrict(original: ServerCandidate, tools: ToolFilter | undefined): void {
    if (tools === undefined || original.imported === undefined) return;
    const restricted = { ...original, tools: combineFilters(original.tools, tools) };
    taken.set(identity(original.definition.name), restricted);
    byConnection.set(connectionKey(original), restricted);
  }

  function add(candidate: ServerCandidate): void {
    const { definition, imported } = candidate;
    if (imported?.isGateway === true || isGatewayItself(definition.connection, itself)) {
      return setOutcome(candidate, { kind: "gateway" }, "is this gateway itself and was skipped.");
    }
    if (imported?.disabled !== undefined) return setOutcome(candidate, { kind: "disabled", reason: imported.disabled });
    const key = connectionKey(candidate);
    const original = duplicateOfCandidate(candidate, key);
    if (original !== undefined) {
      restrict(original, candidate.tools);
      const outcome = { kind: "duplicate", duplicateOf: original.definition.name } as const;
      return setOutcome(
        candidate,
        outcome,
        `has the same connection as ${shown(original.definition)} and was skipped.`,
      );
    }
    const first = taken.get(identity(definition.name));
    const name = first === undefined ? definition.name : freeName(definition.name);
    take(candidate, name, key);
    if (first === undefined) return setOutcome(candidate, { kind: "taken", name });
    setOutcome(
      candidate,
      { kind: "renamed", name },
      `was renamed to "${name}", because ${shown(first.definition)} has the same name.`,
    );
  }

  /**
   * Finds the server that the candidate duplicates. A server of the same file counts only if it has the same name: one
   * file may contain a connection twice on purpose.
   */
  function duplicateOfCandidate(candidate: ServerCandidate, key: string): ServerCandidate | undefined {
    const same = byConnection.get(key);
    if (same === undefined) return undefined;
    const { name, origin } = candidate.definition;
    return same.definition.origin !== origin || isNameOf(same.definition.name, name) ? same : undefined;
  }

  function freeName(name: string): string {
    let number = 2;
    while (taken.has(identity(numbered(name, number)))) number += 1;
    return numbered(name, number);
  }

  for (const candidate of groups.flat()) add(candidate);
  return withoutSwitchedOff({ servers: [...taken.values()], outcomes, notices }, switchedOff);
}

/**
 * Removes the disabled servers by their final names. This is the last step, so that the names of other servers do not
 * change.
 */
function withoutSwitchedOff({ servers, outcomes, notices }: Merged, switchedOff: ReadonlySet<string>): Merged {
  const isOff = (name: string): boolean => switchedOff.has(identity(name));
  const disabled = { kind: "disabled", reason: "your configuration has `enabled: false` for it" } as const;
  return {
    servers: servers.filter(({ definition }) => !isOff(definition.name)),
    outcomes: new Map(
      [...outcomes].map(([one, outcome]) => [one, "name" in outcome && isOff(outcome.name) ? disabled : outcome]),
    ),
    notices,
  };
}

/** Caches resolved paths: hundreds of servers are started by the same few programs. */
function withCachedPaths({ realPath, ...own }: OwnProgram): OwnProgram {
  if (realPath === undefined) return own;
  const cache = new Map<string, string>();
  return {
    ...own,
    realPath(path) {
      const resolved = cache.get(path) ?? realPath(path);
      cache.set(path, resolved);
      return resolved;
    },
  };
}

/** Combines two tool filters: the intersection of the allowed tools, and the union of the denied ones. */
function combineFilters(first: ToolFilter = {}, second: ToolFilter = {}): ToolFilter {
  const allows = [first.allow, second.allow].filter((names) => names !== undefined);
  const [allow, other] = allows;
  const deny = [...new Set([...(first.deny ?? []), ...(second.deny ?? [])])];
  return {
    ...(allow === undefined
      ? {}
      : { allow: other === undefined ? allow : allow.filter((name) => other.includes(name)) }),
    ...(deny.length === 0 ? {} : { deny }),
  };
}

function shown({ name, origin }: ServerDefinition): string {
  return `"${name}" from ${origin}`;
}

function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const suffix = `-${number}`;
  return `${name.slice(0, MAX_NAME_LENGTH - suffix.length)}${suffix}`;
}

function isNameOf(used: string, name: string): boolean {
  return identity(used) === identity(name) || identity(used).startsWith(`${identity(name)}-`);
}

/** The key for comparing server names: equal for names that differ only in case or Unicode form. */
export function identity(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/**
 * Returns a key that is equal for two candidates that connect to the same server; differences in how `npx` is called do
 * not count.
 */
function connectionKey({ definition, envFile }: ServerCandidate): string {
  return canonicalJson({ connection: normalizeConnection(definition.connection), envFile });
}

function normalizeConnection(connection: ServerConnection): ServerConnection {
  if (connection.kind === "rest" || connection.kind === "built-in") return connection;
  if (connection.kind !== "stdio") return { ...connection, url: connection.url.replace(/\/$/, "") };
  const { command, args } = connection;
  const isCmd = /(?:^|[\\/])cmd(?:\.exe)?$/i.test(command) && /^\/c$/i.test(args[0] ?? "");
  const [program = command, ...rest] = isCmd ? args.slice(1) : [command, ...args];
  if (!/(?:^|[\\/])npx(?:\.cmd)?$/i.test(program)) return { ...connection, command: program, args: rest };
  const kept = rest.filter((word, index) => !(index < 2 && /^(?:-y|--yes)$/.test(word)));
  return { ...connection, command: "npx", args: kept.map((word) => word.replace(/(?<=.)@latest$/, "")) };
}
