// Writes a first configuration and adds the gateway to the MCP clients that the user chose. A server is removed from a
// client's file only if the configuration gets its entry.
import { join } from "node:path";
import type { ServerCandidate } from "../../sources/candidate.js";
import { CLIENT_IDS, type ClientId } from "../../sources/options.js";
import { additionChanges } from "../../sources/rewrite/extend-config.js";
import type { System } from "../../sources/system.js";
import { createBackups } from "../files/backups.js";
import { MAX_EDITS, planEdit } from "../files/edit-target.js";
import { type Write, type FileWrite, writeAll } from "../files/write.js";
import { type ClientRewrite, planRewrites } from "../import/client-rewrites.js";
import { type FoundClientServers, findClientServers } from "../import/found.js";
import { copyFor, environmentNotes, type ImportPlan, importedSecrets, toAdditions } from "../import/plan.js";
import { copyProgram, findStart } from "../import/program-copy.js";
import { lostServers, type ServerDesk } from "./desk.js";

/** Plans the files that connect these clients. Without clients, only a missing configuration is planned. */
export async function planInit(
  { place, target }: ServerDesk,
  system: System,
  clients: readonly ClientId[],
): Promise<ImportPlan> {
  const found = await findClientServers(place, system, target);
  const { start, copy } = findStart(place.own(), place.stateFolder);
  const rewrites = await planRewrites(found, {
    clients,
    system,
    target,
    start,
  });
  const moved = movedServers(found, rewrites);
  const isWritten = target.bytes === undefined || moved.length > 0;
  const config = isWritten ? [await configWrite(target, moved)] : [];
  return {
    target,
    found,
    added: moved.map(({ definition }) => definition.name),
    rewrites,
    writes: [...config, ...rewrites.flatMap(({ write }) => write ?? [])],
    ...copyFor(rewrites, copy),
    copiedSecrets: importedSecrets(moved),
    movedSecrets: [],
    unsetSecrets: [],
    keychainEntries: new Map(),
    notes: [...target.notes, ...environmentNotes(moved)],
  };
}

/** The servers that move from a client's file to the configuration, under their new names. */
function movedServers({ servers, added }: FoundClientServers, rewrites: readonly ClientRewrite[]): ServerCandidate[] {
  const gone = servers.filter(({ server: { origin, definition } }) =>
    rewrites.some(({ file, removed }) => file === origin.file && removed.includes(definition.name)),
  );
  const names = gone.flatMap(({ outcome }) =>
    outcome.kind === "duplicate" ? [outcome.duplicateOf] : "name" in outcome ? [outcome.name] : [],
  );
  return added.filter(({ definition }) => names.includes(definition.name));
}

async function configWrite(target: ServerDesk["target"], moved: readonly ServerCandidate[]): Promise<Write> {
  const { file, bytes, isProject } = target;
  const additions = toAdditions(moved);
  const after = await planEdit(target, (view) => additionChanges(view, additions));
  const names = additions.servers.map(({ name }) => name);
  const what = [
    ...(bytes === undefined ? ["is new and uses the servers of every MCP client (`sources: all`)"] : []),
    ...(names.length === 0 ? [] : [`gets ${names.join(", ")}`]),
  ].join("; ");
  return {
    role: "config",
    path: file,
    before: bytes,
    after,
    sections: [],
    what,
    // The file may contain secrets that were copied from the clients' files.
    ...(isProject ? { isProject: true as const } : { mode: 0o600 }),
  };
}

/** Whether an MCP client on this machine starts the gateway. */
export interface ClientState {
  readonly client: ClientId;
  readonly state: "connected" | "not connected";
  /** The planned changes of its files. Empty if the client cannot be connected. */
  readonly changes: readonly { readonly file: string; readonly what: string }[];
}

/** The clients that have a user-level file on this machine. */
export function clientStates({ found, rewrites }: ImportPlan): ClientState[] {
  return CLIENT_IDS.flatMap((client): ClientState[] => {
    const files = found.files.filter(({ location }) => location.client === client && location.scope !== "project");
    if (files.length === 0) return [];
    const servers = files.flatMap(({ content }) => (content.kind === "read" ? content.servers : []));
    const isConnected = servers.some(({ isGateway, disabled }) => isGateway && disabled === undefined);
    const writes = rewrites.filter((one) => one.client === client).flatMap(({ write }) => write ?? []);
    const changes = isConnected ? [] : writes.map(({ path, what }) => ({ file: path, what }));
    return [{ client, state: isConnected ? "connected" : "not connected", changes }];
  });
}

export interface InitReport {
  readonly written: readonly FileWrite[];
  /** Servers that the gateway no longer offers. */
  readonly lost: readonly string[];
}

export async function carryOutInit({ writes, copy }: ImportPlan, desk: ServerDesk): Promise<InitReport> {
  const { place, target } = desk;
  if (copy !== undefined) await copyProgram(copy);
  const backups = createBackups(join(place.stateFolder, "backups"), place.now, "init");
  const written = await writeAll(writes, backups);
  const config = writes.find(({ role }) => role === "config");
  if (target.isProject && config !== undefined && written[0]?.failure === undefined) {
    await place.trust.record(target.file, config.after);
  }
  await backups.forgetEdits(MAX_EDITS);
  return { written, lost: (await lostServers(desk)).lost };
}
