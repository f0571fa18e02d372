// Adds servers to the configuration file.
import { DiscoveryError } from "../../errors.js";
import { describeLibraryStep, withHintText } from "../../model/next-steps.js";
import type { JsonObject } from "../../model/json.js";
import type { ServerDefinition } from "../../model/server.js";
import { compileServer, envFileOf } from "../../sources/compile.js";
import { effectOf } from "../../sources/effects.js";
import { isGatewayItself } from "../../sources/itself.js";
import {
  isDisablingEntry,
  keyedServerEntry,
  type ServerEntry,
  serverName,
  toNamedEntries,
} from "../../sources/options.js";
import { changeMembers } from "../../sources/rewrite/edit-config.js";
import { additionChanges, toSnippet } from "../../sources/rewrite/extend-config.js";
import { findSecrets } from "../../util/plain-secrets.js";
import { identity } from "../../sources/merge.js";
import type { FilterRule } from "../../sources/tool-rules.js";
import { BUILT_IN_SERVER } from "../../model/built-in.js";
import { pathText } from "../../util/document/problem.js";
import { checkSchema } from "../../util/document/schema.js";
import { dirname } from "node:path";
import { openEngine } from "../../engine.js";
import { openCatalog } from "../open-catalog.js";
import { type AskOptions, askServers } from "./ask-servers.js";
import { applyEdit, type EditReport, findKnown, ownOf, planChanges, type ServerDesk } from "./desk.js";

/** A server to add to the configuration. */
export interface AddRequest {
  readonly name: string;
  /** The value of the entry in `servers`, such as `{ command: "npx", args: ["-y", "some-package"] }`. */
  readonly entry: JsonObject;
  /** Tool rules to add with the server: they disable the tools that the pasted text disables. */
  readonly toolRules?: readonly FilterRule[];
  /** Remarks for the user about the origin of the entry. */
  readonly notes?: readonly string[];
}

/** Options of `addServer`. */
export interface AddOptions {
  /** Replace configured servers of the same names. Default: a name that is already configured is an error. */
  readonly isReplacing?: boolean;
}

export interface PlannedServer extends AddRequest {
  /** One line that describes the command or the URL. Values that look like secrets are masked. */
  readonly effect: string;
  readonly isReplacement: boolean;
  /** Values that look like secrets and would be stored in clear text, such as `env.GITHUB_TOKEN`. */
  readonly secrets: readonly { readonly where: string; readonly variable: string }[];
  readonly notes: readonly string[];
}

export interface PlannedAddition {
  readonly file: string;
  readonly servers: readonly PlannedServer[];
  /**
   * The new content of the file. Undefined if the configuration is a JavaScript or TypeScript module: the user must
   * paste `snippet`.
   */
  readonly after?: Uint8Array;
  readonly snippet: string;
  readonly notes: readonly string[];
  readonly isReplacing: boolean;
}

/** Checks the requests and plans the edit, without writing it. */
export async function planServers(
  drafts: readonly AddRequest[],
  desk: ServerDesk,
  { isReplacing = false }: AddOptions = {},
): Promise<PlannedAddition> {
  assertDistinct(drafts);
  const { target } = desk;
  const servers = drafts.map((draft) => planOne(draft, desk, isReplacing));
  const additions = { servers, toolRules: servers.flatMap(({ toolRules = [] }) => toolRules) };
  const members = servers.map(({ name, entry }) => ({ name, entry }));
  const replaced = servers.filter(({ isReplacement }) => isReplacement).map(({ name }) => name);
  const after =
    target.format === "program"
      ? undefined
      : await planChanges(desk, (view) => [
          changeMembers(view, "servers", { remove: replaced, add: members }),
          ...additionChanges(view, { ...additions, servers: [] }),
        ]);
  const notes = target.notes;
  return {
    file: target.file,
    servers,
    snippet: toSnippet(additions),
    notes,
    isReplacing,
    ...(after === undefined ? {} : { after }),
  };
}

/** Writes a planned addition with a backup. */
export async function carryOutAddition(
  { servers, after, file, isReplacing }: PlannedAddition,
  desk: ServerDesk,
): Promise<EditReport> {
  if (after === undefined) {
    throw notEditable(file);
  }
  const replan = async (now: ServerDesk): Promise<Uint8Array> => {
    const again = await planServers(servers, now, { isReplacing });
    if (again.after === undefined) throw notEditable(file);
    return again.after;
  };
  return await applyEdit(desk, { action: `add ${servers.map(({ name }) => name).join(" ")}`, after, replan });
}

/** The result of the first connection to a new server. */
export interface ServerTrial {
  readonly server: string;
  readonly status: "ok" | "failed";
  readonly tools: number;
  readonly reason?: string;
}

/** Connects to each new server once. A server that fails remains in the configuration. */
export async function tryServers(
  servers: readonly PlannedServer[],
  { target, options }: ServerDesk,
  asking: AskOptions = {},
): Promise<ServerTrial[]> {
  const engine = openEngine(target.overriddenBy === undefined ? options : { ...options, configPath: target.file });
  try {
    const stages = await openCatalog(engine);
    const used = servers.filter(({ entry }) => entry["enabled"] !== false).map(({ name }) => name);
    const known = used.filter((name) => stages.snapshot().servers.has(name));
    return (await askServers(known, stages, asking)).map(({ name, failure }): ServerTrial => {
      const tools = stages.snapshot().servers.get(name)?.tools.length ?? 0;
      if (failure === undefined) return { server: name, status: "ok", tools };
      return {
        server: name,
        status: "failed",
        tools,
        reason: withHintText(failure, asking.describe ?? describeLibraryStep),
      };
    });
  } finally {
    await engine.close();
  }
}

function notEditable(file: string): DiscoveryError {
  return new DiscoveryError(
    "CONFIGURATION_ERROR",
    `${file} is a JavaScript or TypeScript module, which the gateway does not edit.`,
    {
      hint: "Add the servers to it in an editor, or name another file with --config.",
    },
  );
}

function assertDistinct(drafts: readonly AddRequest[]): void {
  if (drafts.length === 0) {
    throw new DiscoveryError("INVALID_REQUEST", "The request contains no server to add.", {
      hint: { action: "run-command", command: "anygpt mcp add --help", purpose: "see the syntax" },
    });
  }
  const names = drafts.map(({ name }) => identity(name));
  const twice = drafts.find(({ name }, index) => names.indexOf(identity(name)) !== index);
  if (twice === undefined) return;
  throw new DiscoveryError("INVALID_REQUEST", `Two of the new servers are named "${twice.name}".`, {
    hint: "Choose different names.",
  });
}

function planOne(draft: AddRequest, desk: ServerDesk, isReplacing: boolean): PlannedServer {
  const { name, entry } = draft;
  const { definition, envFile } = checkDraft(draft, desk);
  const own = ownOf(name, desk.target);
  if (own !== undefined) assertReplaceable(own, isReplacing, desk.target.file);
  return {
    ...draft,
    effect: effectOf({ definition, ...(envFile === undefined ? {} : { envFile }) }),
    isReplacement: own !== undefined,
    secrets: findSecrets(definition.connection, name).map(({ where, variable }) => ({ where, variable })),
    notes: [...(draft.notes ?? []), ...nameNotes(name, desk)],
    entry,
  };
}

function checkDraft(
  { name, entry }: AddRequest,
  { place, target }: ServerDesk,
): { readonly definition: ServerDefinition; readonly envFile?: string } {
  const named = checkSchema(serverName, name);
  if (named.kind === "violations") {
    throw new DiscoveryError("INVALID_REQUEST", `${JSON.stringify(name)} is not a valid server name.`, {
      hint: `Choose another name: ${named.violations[0]?.reason ?? ""}.`,
    });
  }
  if (identity(name) === BUILT_IN_SERVER) {
    throw new DiscoveryError("INVALID_REQUEST", `The name "${BUILT_IN_SERVER}" is reserved for the built-in server.`, {
      hint: "Choose another name.",
    });
  }
  const [checked] = toNamedEntries({ [name]: checkEntry(name, entry) });
  const paths = { home: place.home, baseDir: dirname(target.file), origin: target.file };
  const definition = compileServer(checked as ServerEntry, paths);
  if (isGatewayItself(definition.connection, place.own())) {
    throw new DiscoveryError(
      "INVALID_REQUEST",
      `"${name}" would start this gateway, so the gateway would connect to itself.`,
      {
        hint: "Add another server.",
      },
    );
  }
  return { definition, ...envFileOf(checked as ServerEntry, paths) };
}

function checkEntry(name: string, entry: JsonObject) {
  const checked = checkSchema(keyedServerEntry, entry);
  if (checked.kind === "ok" && !isDisablingEntry(checked.value)) return checked.value;
  const [violation] = checked.kind === "violations" ? checked.violations : [];
  const where = violation === undefined || violation.path.length === 0 ? "" : `${pathText(violation.path)} `;
  const reason = violation?.reason ?? "it needs a `command` or a `url`";
  throw new DiscoveryError("INVALID_REQUEST", `The server "${name}" cannot be added: ${where}${reason}.`, {
    hint: { action: "run-command", command: "anygpt mcp add --help", purpose: "see the syntax" },
  });
}

function assertReplaceable(
  { name, section, entry }: NonNullable<ReturnType<typeof ownOf>>,
  isReplacing: boolean,
  file: string,
): void {
  if (section === "adapters") {
    throw new DiscoveryError("INVALID_REQUEST", `${file} already has an adapter named "${name}".`, {
      hint: [
        "Choose another name, or remove the adapter first.",
        { action: "run-command", command: `anygpt mcp adapter remove ${name}`, purpose: "remove the adapter" },
      ],
    });
  }
  if (isReplacing) return;
  const onlyDisables = entry !== undefined && isDisablingEntry(entry);
  throw new DiscoveryError(
    "INVALID_REQUEST",
    onlyDisables ? `${file} disables a server named "${name}".` : `${file} already has a server named "${name}".`,
    { hint: "Choose another name (`--as NAME` for a public server), or replace the entry with --replace." },
  );
}

/** A note if an MCP client's file has a server of the same name. The server of the configuration takes precedence. */
function nameNotes(name: string, desk: ServerDesk): string[] {
  if (ownOf(name, desk.target) !== undefined) return [];
  const isOffered = desk.offered?.servers.some((server) => identity(server.name) === identity(name)) === true;
  const known = isOffered ? findKnown(name, desk) : undefined;
  if (known?.kind !== "found") return [];
  return [
    `${known.where} has a server named "${known.name}" too. Your server keeps the name. If the two connections differ, the other server gets a new name.`,
  ];
}
