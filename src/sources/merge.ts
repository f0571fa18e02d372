import type { Connection, ServerDefinition } from "../model/server.js";
import { canonicalJson } from "../util/json/canonical.js";
import type { Candidate } from "./candidate.js";
import type { ToolFilter } from "./imported.js";
import { isGatewayItself, type OwnProgram } from "./itself.js";

const LONGEST_NAME = 64;

/** What became of a candidate that is not in the list, or not under its own name. */
export type Outcome =
  | { readonly kind: "taken"; readonly name: string }
  | { readonly kind: "renamed"; readonly name: string }
  | { readonly kind: "duplicate"; readonly duplicateOf: string }
  | { readonly kind: "gateway" }
  | { readonly kind: "disabled"; readonly reason: string };

export interface Merged {
  /** Under unique names, in the order of the groups. */
  readonly servers: readonly Candidate[];
  readonly outcomes: ReadonlyMap<Candidate, Outcome>;
  readonly notices: readonly string[];
}

/**
 * Makes names unique, ignoring case: the first wins, another is kept as `name-2` only if it connects elsewhere. What
 * another file has under another name but connects to the same is a duplicate as well: what any of the programs hides of it
 * stays hidden, unless the person has written the first down themselves.
 */
export function mergeServers(
  groups: readonly (readonly Candidate[])[],
  own?: OwnProgram,
  switchedOff: ReadonlySet<string> = new Set(),
): Merged {
  const itself = own === undefined ? undefined : followingOnce(own);
  const taken = new Map<string, Candidate>();
  const byConnection = new Map<string, Candidate>();
  const outcomes = new Map<Candidate, Outcome>();
  const notices: string[] = [];

  function settle(candidate: Candidate, outcome: Outcome, notice?: string): void {
    outcomes.set(candidate, outcome);
    if (notice !== undefined) notices.push(`The server ${shown(candidate.definition)} ${notice}`);
  }

  function take(candidate: Candidate, name: string, key: string): void {
    const { definition } = candidate;
    const named = name === definition.name ? candidate : { ...candidate, definition: { ...definition, name } };
    taken.set(identity(name), named);
    if (!byConnection.has(key)) byConnection.set(key, named);
  }

  function restrict(twin: Candidate, tools: ToolFilter | undefined): void {
    if (tools === undefined || twin.imported === undefined) return;
    const restricted = { ...twin, tools: uniteFilters(twin.tools, tools) };
    taken.set(identity(twin.definition.name), restricted);
    byConnection.set(connectionKey(twin), restricted);
  }

  function add(candidate: Candidate): void {
    const { definition, imported } = candidate;
    if (imported?.isGateway === true || isGatewayItself(definition.connection, itself)) {
      return settle(candidate, { kind: "gateway" }, "is this gateway itself and was left out.");
    }
    if (imported?.disabled !== undefined) return settle(candidate, { kind: "disabled", reason: imported.disabled });
    const key = connectionKey(candidate);
    const twin = twinOf(candidate, key);
    if (twin !== undefined) {
      restrict(twin, candidate.tools);
      const outcome = { kind: "duplicate", duplicateOf: twin.definition.name } as const;
      return settle(candidate, outcome, `is the same as ${shown(twin.definition)} and was left out.`);
    }
    const first = taken.get(identity(definition.name));
    const name = first === undefined ? definition.name : freeName(definition.name);
    take(candidate, name, key);
    if (first === undefined) return settle(candidate, { kind: "taken", name });
    settle(candidate, { kind: "renamed", name }, `was renamed to "${name}": ${shown(first.definition)} has that name.`);
  }

  /** One file may list the same server twice on purpose; two files, or two entries of one name, do not. */
  function twinOf(candidate: Candidate, key: string): Candidate | undefined {
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

/** Leaves servers out by the names that they have here. It comes last, so that no other server changes its name by it. */
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

/** Hundreds of servers are started by the same few programs: each path is followed once. */
function followingOnce({ realPath, ...own }: OwnProgram): OwnProgram {
  if (realPath === undefined) return own;
  const followed = new Map<string, string>();
  return {
    ...own,
    realPath(path) {
      const place = followed.get(path) ?? realPath(path);
      followed.set(path, place);
      return place;
    },
  };
}

/** Only what all of them offer. */
function uniteFilters(first: ToolFilter = {}, second: ToolFilter = {}): ToolFilter {
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
  return `"${name}" of ${origin}`;
}

function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const suffix = `-${number}`;
  return `${name.slice(0, LONGEST_NAME - suffix.length)}${suffix}`;
}

function isNameOf(given: string, name: string): boolean {
  return identity(given) === identity(name) || identity(given).startsWith(`${identity(name)}-`);
}

/** Names with the same identity are the same name. */
export function identity(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** Equal for two that reach the same server: how a package runner is called makes no difference. */
function connectionKey({ definition, envFile }: Candidate): string {
  return canonicalJson({ connection: plainly(definition.connection), envFile });
}

function plainly(connection: Connection): Connection {
  if (connection.kind === "rest" || connection.kind === "built-in") return connection;
  if (connection.kind !== "stdio") return { ...connection, url: connection.url.replace(/\/$/, "") };
  const { command, args } = connection;
  const isCmd = /(?:^|[\\/])cmd(?:\.exe)?$/i.test(command) && /^\/c$/i.test(args[0] ?? "");
  const [program = command, ...rest] = isCmd ? args.slice(1) : [command, ...args];
  if (!/(?:^|[\\/])npx(?:\.cmd)?$/i.test(program)) return { ...connection, command: program, args: rest };
  const kept = rest.filter((word, index) => !(index < 2 && /^(?:-y|--yes)$/.test(word)));
  return { ...connection, command: "npx", args: kept.map((word) => word.replace(/(?<=.)@latest$/, "")) };
}
