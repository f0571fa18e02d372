// Comes in: servers that the user wants, as the configuration writes them; goes out: the configuration with them in it.
import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import type { ServerDefinition } from "../../model/server.js";
import { compileServer, envFileOf } from "../../sources/compile.js";
import { effectOf } from "../../sources/effects.js";
import { isGatewayItself } from "../../sources/itself.js";
import { isSwitch, keyedServerEntry, type ServerEntry, serverName, toNamedEntries } from "../../sources/options.js";
import { changeMembers } from "../../sources/rewrite/edit-config.js";
import { additionChanges, toSnippet } from "../../sources/rewrite/extend-config.js";
import { findSecrets } from "../../sources/rewrite/secrets.js";
import { identity } from "../../sources/merge.js";
import type { FilterRule } from "../../sources/tool-rules.js";
import { OWN_SERVER } from "../../toolfiles/own-server.js";
import { pathText } from "../../util/document/problem.js";
import { checkSchema } from "../../util/document/schema.js";
import { dirname } from "node:path";
import { carryOut, type EditReport, findKnown, ownOf, planChanges, type ServerDesk } from "./desk.js";

/** A server that is to be added. */
export interface ServerDraft {
  readonly name: string;
  /** As the configuration writes it in a map. */
  readonly entry: JsonObject;
  /** Rules that come with it: tools that the text it comes from hides. */
  readonly toolRules?: readonly FilterRule[];
  /** What the user should know about how the entry came about. */
  readonly notes?: readonly string[];
}

export interface AddOptions {
  /** Servers of the same names are replaced; without it they are an error. */
  readonly isReplacing?: boolean;
}

export interface PlannedServer extends ServerDraft {
  /** What will run, in one line; of secrets only the names. */
  readonly effect: string;
  readonly isReplacement: boolean;
  /** Values that look like secrets and would be stored as they are: `env.GITHUB_TOKEN`. */
  readonly secrets: readonly { readonly where: string; readonly variable: string }[];
  readonly notes: readonly string[];
}

export interface PlannedAddition {
  readonly file: string;
  readonly servers: readonly PlannedServer[];
  /** Undefined for a configuration that is a program: `snippet` is for the user to paste. */
  readonly after?: Uint8Array;
  readonly snippet: string;
  readonly notes: readonly string[];
}

/** Checks the drafts and makes the edit, without writing it. */
export async function planServers(
  drafts: readonly ServerDraft[],
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
    ...(after === undefined ? {} : { after }),
  };
}

/** Adds servers to the configuration, checked and with a backup. */
export async function addServers(
  drafts: readonly ServerDraft[],
  desk: ServerDesk,
  options: AddOptions = {},
): Promise<EditReport> {
  return await carryOutAddition(await planServers(drafts, desk, options), desk);
}

export async function carryOutAddition(
  { servers, after, file }: PlannedAddition,
  desk: ServerDesk,
): Promise<EditReport> {
  if (after === undefined) {
    throw new DiscoveryError("CONFIGURATION_ERROR", `${file} is a program, which only you can change.`, {
      hint: "Add the servers to it by hand, or name another file with --config.",
    });
  }
  return await carryOut(desk, { action: `add ${servers.map(({ name }) => name).join(" ")}`, after });
}

function assertDistinct(drafts: readonly ServerDraft[]): void {
  if (drafts.length === 0) {
    throw new DiscoveryError("INVALID_REQUEST", "There is no server to add.", {
      hint: "Run `anygpt mcp add --help` to see how a server is given.",
    });
  }
  const names = drafts.map(({ name }) => identity(name));
  const twice = drafts.find(({ name }, index) => names.indexOf(identity(name)) !== index);
  if (twice === undefined) return;
  throw new DiscoveryError("INVALID_REQUEST", `Two of the servers are named "${twice.name}".`, {
    hint: "Give them different names.",
  });
}

function planOne(draft: ServerDraft, desk: ServerDesk, isReplacing: boolean): PlannedServer {
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
  { name, entry }: ServerDraft,
  { place, target }: ServerDesk,
): { readonly definition: ServerDefinition; readonly envFile?: string } {
  const named = checkSchema(serverName, name);
  if (named.kind === "violations") {
    throw new DiscoveryError("INVALID_REQUEST", `${JSON.stringify(name)} cannot name a server.`, {
      hint: `Choose another name: ${named.violations[0]?.reason ?? ""}.`,
    });
  }
  if (identity(name) === OWN_SERVER) {
    throw new DiscoveryError("INVALID_REQUEST", `The gateway's own tools are named "${OWN_SERVER}".`, {
      hint: "Choose another name.",
    });
  }
  const [checked] = toNamedEntries({ [name]: checkEntry(name, entry) });
  const places = { home: place.home, baseDir: dirname(target.file), origin: target.file };
  const definition = compileServer(checked as ServerEntry, places);
  if (isGatewayItself(definition.connection, place.own())) {
    throw new DiscoveryError("INVALID_REQUEST", `"${name}" would start this gateway itself.`, {
      hint: "Add the servers that are to be behind it.",
    });
  }
  return { definition, ...envFileOf(checked as ServerEntry, places) };
}

function checkEntry(name: string, entry: JsonObject) {
  const checked = checkSchema(keyedServerEntry, entry);
  if (checked.kind === "ok" && !isSwitch(checked.value)) return checked.value;
  const [violation] = checked.kind === "violations" ? checked.violations : [];
  const where = violation === undefined || violation.path.length === 0 ? "" : `${pathText(violation.path)} `;
  const reason = violation?.reason ?? "it needs a `command` or a `url`";
  throw new DiscoveryError("INVALID_REQUEST", `The server "${name}" cannot be added: ${where}${reason}.`, {
    hint: "Run `anygpt mcp add --help` to see how a server is given.",
  });
}

function assertReplaceable(
  { name, section, entry }: NonNullable<ReturnType<typeof ownOf>>,
  isReplacing: boolean,
  file: string,
): void {
  if (section === "adapters") {
    throw new DiscoveryError("INVALID_REQUEST", `${file} has an adapter named "${name}" already.`, {
      hint: `Choose another name, or run \`anygpt mcp adapter remove ${name}\` first.`,
    });
  }
  if (isReplacing) return;
  const isOnlySwitch = entry !== undefined && isSwitch(entry);
  throw new DiscoveryError(
    "INVALID_REQUEST",
    isOnlySwitch ? `${file} switches off a server named "${name}".` : `${file} has a server named "${name}" already.`,
    { hint: "Add --replace to replace it, or choose another name." },
  );
}

/** Another server of that name, which a client has, gives way. */
function nameNotes(name: string, desk: ServerDesk): string[] {
  if (ownOf(name, desk.target) !== undefined) return [];
  const isOffered = desk.offered?.servers.some((server) => identity(server.name) === identity(name)) === true;
  const known = isOffered ? findKnown(name, desk) : undefined;
  if (known?.kind !== "found") return [];
  return [
    `${known.where} has a server named "${known.name}" too. Yours takes the name; the other one is renamed if it connects elsewhere.`,
  ];
}
