import { basename } from "node:path";
import type { Variables } from "../../../config/variables.js";
import type { Connection } from "../../../model/server.js";
import { describeHere } from "../../../operations/import/describe-here.js";
import type { Fate, FoundServer } from "../../../operations/import/found.js";
import type { Plan } from "../../../operations/import/plan.js";
import type { Written } from "../../../operations/files/write.js";

/** A file of another program, and what was found in it. */
export interface ListedFile {
  readonly client: string;
  readonly file: string;
  readonly scope: string;
  readonly status: "read" | "broken" | "untrusted";
  readonly problems: readonly string[];
  readonly servers: readonly ListedServer[];
}

export interface ListedServer {
  readonly name: string;
  readonly line?: number;
  readonly column?: number;
  readonly transport: Connection["kind"];
  /** The program's name, or the address without anything that may be secret. */
  readonly reach: string;
  readonly outcome: Fate["kind"];
  /** The name that it has in our configuration, or will have. */
  readonly as?: string;
  /** Why it was left out. */
  readonly reason?: string;
  readonly variables: readonly ListedVariable[];
  readonly notes: readonly string[];
}

export interface ListedVariable {
  readonly name: string;
  readonly status: "set" | "default" | "missing";
}

/** All that an import found and would do, or did; nothing in it is secret. */
export interface ImportPage {
  readonly config: string;
  readonly isNew: boolean;
  /** Until now the servers of every client were used without being named; the file that is written ends that. */
  readonly endsZeroConfiguration: boolean;
  /** Whether files were written, as opposed to only planned. */
  readonly written: boolean;
  readonly files: readonly ListedFile[];
  readonly added: readonly string[];
  readonly rewrites: readonly Omit<Plan["rewrites"][number], "write">[];
  readonly changes: readonly { readonly file: string; readonly what: string; readonly failure?: string }[];
  readonly secrets: {
    readonly copied: Plan["copiedSecrets"];
    readonly moved: Plan["movedSecrets"];
    /** Entries that come into the keychain. */
    readonly keychain: readonly string[];
    /** Variables that the person has to set: the secrets themselves are not shown. */
    readonly unset: Plan["unsetSecrets"];
  };
  readonly notes: readonly string[];
}

export function toImportPage(plan: Plan, written?: readonly Written[]): ImportPage {
  const { target, found } = plan;
  return {
    config: target.file,
    isNew: target.bytes === undefined,
    endsZeroConfiguration: plan.added.length > 0 && (target.bytes === undefined || target.isImplicit),
    written: written !== undefined,
    files: found.files.map(({ place, content, isTrusted }): ListedFile => {
      const servers = found.servers.filter(({ server }) => server.origin.file === place.path);
      return {
        client: place.client,
        file: place.path,
        scope: place.scope,
        status: content.kind === "broken" ? "broken" : isTrusted ? "read" : "untrusted",
        problems: content.problems.map(describeHere),
        servers: content.kind === "broken" ? [] : servers.map((one) => toListed(one, found.variables)),
      };
    }),
    added: plan.added,
    rewrites: plan.rewrites.map(({ write: _write, ...rewrite }) => rewrite),
    changes: plan.writes.map(({ path, what }) => ({ file: path, what, ...failureOf(path, written) })),
    secrets: {
      copied: plan.copiedSecrets,
      moved: plan.movedSecrets,
      keychain: [...plan.keychainEntries.keys()],
      unset: plan.unsetSecrets,
    },
    notes: plan.notes,
  };
}

function failureOf(path: string, written: readonly Written[] | undefined): { readonly failure?: string } {
  if (written === undefined) return {};
  const one = written.find((other) => other.path === path);
  if (one === undefined) return { failure: `${path} was not tried.` };
  return one.failure === undefined ? {} : { failure: one.failure.message };
}

function toListed({ server, fate }: FoundServer, variables: Variables): ListedServer {
  const { definition, origin } = server;
  return {
    name: definition.name,
    ...(origin.line === undefined ? {} : { line: origin.line, column: origin.column ?? 1 }),
    transport: definition.connection.kind,
    reach: reachOf(definition.connection),
    outcome: fate.kind,
    ...nameOf(fate),
    ...("reason" in fate ? { reason: fate.reason } : {}),
    variables: server.variables.map(({ name, hasDefault }) => {
      const { kind } = variables.originOf(name);
      const isSet = kind === "process" || kind === "file";
      return { name, status: isSet ? "set" : hasDefault ? "default" : "missing" };
    }),
    notes: server.notes,
  };
}

function nameOf(fate: Fate): { readonly as?: string } {
  if (fate.kind === "duplicate") return { as: fate.duplicateOf };
  return "name" in fate ? { as: fate.name } : {};
}

function reachOf(connection: Connection): string {
  if (connection.kind === "built-in") return "(built in)";
  if (connection.kind === "stdio") return basename(connection.command.replaceAll("\\", "/"));
  const url = connection.kind === "rest" ? connection.document : connection.url;
  return URL.canParse(url) && !url.includes("${") ? new URL(url).origin : "(address with variables)";
}
