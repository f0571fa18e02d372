// Comes in: the files of the MCP clients on this machine; goes out: a first configuration, and the gateway in the clients that
// the user chose. Servers leave a client's file only together with their entry in the configuration.
import { join } from "node:path";
import type { Candidate } from "../../sources/candidate.js";
import type { ClientId } from "../../sources/options.js";
import { additionChanges } from "../../sources/rewrite/extend-config.js";
import type { System } from "../../sources/system.js";
import { createBackups } from "../files/backups.js";
import { MOST_EDITS, planEdit } from "../files/edit-target.js";
import { type Write, type Written, writeAll } from "../files/write.js";
import { type ClientRewrite, planRewrites } from "../import/client-rewrites.js";
import { type Found, findServers } from "../import/found.js";
import { type Plan, secretsIn, toAdditions } from "../import/plan.js";
import { lostServers, type ServerDesk } from "./desk.js";

/** What would be written to connect these clients. Without a client it is the configuration alone, where there is none. */
export async function planInit(
  { place, target }: ServerDesk,
  system: System,
  clients: readonly ClientId[],
): Promise<Plan> {
  const found = await findServers(place, system, target);
  const rewrites = await planRewrites(found, { clients, system, target });
  const moved = movedServers(found, rewrites);
  const isWritten = target.bytes === undefined || moved.length > 0;
  const config = isWritten ? [await configWrite(target, moved)] : [];
  return {
    target,
    found,
    added: moved.map(({ definition }) => definition.name),
    rewrites,
    writes: [...config, ...rewrites.flatMap(({ write }) => write ?? [])],
    copiedSecrets: secretsIn(moved),
    movedSecrets: [],
    unsetSecrets: [],
    keychainEntries: new Map(),
    notes: target.notes,
  };
}

/** Those that leave a client's file, under the names that they get in our configuration, which does not have them yet. */
function movedServers({ servers, added }: Found, rewrites: readonly ClientRewrite[]): Candidate[] {
  const gone = servers.filter(({ server: { origin, definition } }) =>
    rewrites.some(({ file, removed }) => file === origin.file && removed.includes(definition.name)),
  );
  const names = gone.flatMap(({ fate }) =>
    fate.kind === "duplicate" ? [fate.duplicateOf] : "name" in fate ? [fate.name] : [],
  );
  return added.filter(({ definition }) => names.includes(definition.name));
}

async function configWrite(target: ServerDesk["target"], moved: readonly Candidate[]): Promise<Write> {
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
    // Clients' files hold secrets, so this one may.
    ...(isProject ? { isProject: true as const } : { mode: 0o600 }),
  };
}

export interface InitReport {
  readonly written: readonly Written[];
  /** Servers that were offered before and are not any more. */
  readonly lost: readonly string[];
}

export async function carryOutInit({ writes }: Plan, desk: ServerDesk): Promise<InitReport> {
  const { place, target } = desk;
  const backups = createBackups(join(place.stateFolder, "backups"), place.now, "init");
  const written = await writeAll(writes, backups);
  const config = writes.find(({ role }) => role === "config");
  if (target.isProject && config !== undefined && written[0]?.failure === undefined) {
    await place.trust.record(target.file, config.after);
  }
  await backups.forgetEdits(MOST_EDITS);
  return { written, lost: (await lostServers(desk)).lost };
}
