import { basename } from "node:path";
import type { Variables } from "../../config/variables.js";
import type { ConnectionKind, ServerConnection } from "../../model/server.js";
import { describeHere } from "./describe-here.js";
import type { ImportOutcome, ImportCandidate } from "./found.js";
import type { RewrittenClient } from "./client-rewrites.js";
import type { ImportPlan, PlannedSecret } from "./plan.js";
import type { FileWrite } from "../files/write.js";

/** A file of an MCP client and its servers. */
export interface ImportableFile {
  readonly client: string;
  readonly file: string;
  readonly scope: string;
  readonly status: "read" | "broken" | "untrusted";
  readonly problems: readonly string[];
  readonly servers: readonly ImportableServer[];
}

/** A server that was found in the files of MCP clients. */
export interface ImportableServer {
  readonly name: string;
  readonly line?: number;
  readonly column?: number;
  readonly transport: ConnectionKind;
  /** How to reach the server: the name of the program, or the origin of the URL. Contains no secret. */
  readonly reach: string;
  /**
   * `taken`: added under its own name. `renamed`: added under another name. `duplicate`: the same as another server
   * that is added. `known`: the configuration has it already. `gateway`: it is this gateway. `disabled`: the client has
   * disabled it. `untrusted`: its file belongs to a project that is not trusted. `bound`: it works only where it is
   * now, see `reason`.
   */
  readonly outcome: "taken" | "renamed" | "duplicate" | "known" | "gateway" | "disabled" | "untrusted" | "bound";
  /** The server's name in the configuration of the gateway. */
  readonly as?: string;
  /** Why the server is not imported. */
  readonly reason?: string;
  readonly variables: readonly ListedVariable[];
  readonly notes: readonly string[];
}

/** A variable that the imported servers need. */
export interface ListedVariable {
  readonly name: string;
  readonly status: "set" | "default" | "missing";
}

/** The plan of an import, or its result if `written` is true. Contains no secrets. */
export interface ImportPage {
  readonly config: string;
  readonly isNew: boolean;
  /**
   * True if the import ends the automatic use of all MCP clients' servers, because the configuration gets its first
   * servers.
   */
  readonly endsZeroConfiguration: boolean;
  /** False if the import was only planned. */
  readonly written: boolean;
  readonly files: readonly ImportableFile[];
  readonly added: readonly string[];
  /** The changes of the MCP clients' own files. */
  readonly rewrites: readonly RewrittenClient[];
  readonly changes: readonly { readonly file: string; readonly what: string; readonly failure?: string }[];
  readonly secrets: {
    /** Secrets that the configuration contains in clear text. */
    readonly copied: readonly PlannedSecret[];
    /** Variables that are added to `~/.ai/.env`. */
    readonly moved: readonly string[];
    /** Names of the entries that are added to the keychain. */
    readonly keychain: readonly string[];
    /** Variables that the user must set. Their values, which are secrets, are not part of the report. */
    readonly unset: readonly string[];
  };
  readonly notes: readonly string[];
}

export function toImportPage(plan: ImportPlan, written?: readonly FileWrite[]): ImportPage {
  const { target, found } = plan;
  return {
    config: target.file,
    isNew: target.bytes === undefined,
    endsZeroConfiguration: plan.added.length > 0 && (target.bytes === undefined || target.isImplicit),
    written: written !== undefined,
    files: found.files.map(({ location, content, isTrusted }): ImportableFile => {
      const servers = found.servers.filter(({ server }) => server.origin.file === location.path);
      return {
        client: location.client,
        file: location.path,
        scope: location.scope,
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

function failureOf(path: string, written: readonly FileWrite[] | undefined): { readonly failure?: string } {
  if (written === undefined) return {};
  const one = written.find((other) => other.path === path);
  if (one === undefined) return { failure: `${path} was not written, because writing an earlier file failed.` };
  return one.failure === undefined ? {} : { failure: one.failure.message };
}

function toListed({ server, outcome }: ImportCandidate, variables: Variables): ImportableServer {
  const { definition, origin } = server;
  return {
    name: definition.name,
    ...(origin.line === undefined ? {} : { line: origin.line, column: origin.column ?? 1 }),
    transport: definition.connection.kind,
    reach: reachOf(definition.connection),
    outcome: outcome.kind,
    ...nameOf(outcome),
    ...("reason" in outcome ? { reason: outcome.reason } : {}),
    variables: server.variables.map(({ name, hasDefault }) => {
      const { kind } = variables.originOf(name);
      const isSet = kind === "process" || kind === "file";
      return { name, status: isSet ? "set" : hasDefault ? "default" : "missing" };
    }),
    notes: server.notes,
  };
}

function nameOf(outcome: ImportOutcome): { readonly as?: string } {
  if (outcome.kind === "duplicate") return { as: outcome.duplicateOf };
  return "name" in outcome ? { as: outcome.name } : {};
}

function reachOf(connection: ServerConnection): string {
  if (connection.kind === "built-in") return "(built in)";
  if (connection.kind === "stdio") return basename(connection.command.replaceAll("\\", "/"));
  const url = connection.kind === "rest" ? connection.document : connection.url;
  return URL.canParse(url) && !url.includes("${") ? new URL(url).origin : "(address with variables)";
}
