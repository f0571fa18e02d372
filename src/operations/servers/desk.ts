import { join } from "node:path";
import type { LoadParts } from "../../config/load.js";
import { type OpenOptions, openEngine, placeFor } from "../../open-engine.js";
import { DiscoveryError } from "../../errors.js";
import type { Place } from "../../place.js";
import type { FoundServers } from "../../servers.js";
import { identity } from "../../sources/merge.js";
import type { ServerEntry } from "../../sources/options.js";
import type { Change } from "../../sources/rewrite/change.js";
import type { ConfigView, NamedSection } from "../../sources/rewrite/edit-config.js";
import { nearestWord } from "../../util/edit-distance.js";
import { createBackups } from "../files/backups.js";
import { assertTrusted, planEdit, writeEdit } from "../files/edit-target.js";
import { findTarget, type Target } from "../files/target.js";
import { NEW_CONFIG } from "../files/template.js";

/** What the operations on servers work with: the file to edit, and the servers that are offered now. */
export interface ServerDesk {
  readonly options: OpenOptions;
  readonly place: Place;
  readonly loadParts: LoadParts;
  readonly target: Target;
  /** Undefined where the configuration in force cannot be read; then it is not the file to edit. */
  readonly offered: FoundServers | undefined;
}

export interface DeskOptions {
  /** Edit the project's configuration instead of the user's own. */
  readonly isProject?: boolean;
}

export async function openServerDesk(
  options: OpenOptions,
  { isProject = false }: DeskOptions = {},
): Promise<ServerDesk> {
  const { loadParts, ...place } = placeFor(options);
  const target = await findTarget(loadParts, { isProject, newName: NEW_CONFIG });
  assertTrusted(target, place.trust);
  return { options, place, loadParts, target, offered: await findOffered(options) };
}

/** The servers of the configuration in force. Nothing is started. */
export async function findOffered(options: OpenOptions): Promise<FoundServers | undefined> {
  const engine = openEngine(options);
  try {
    return (await engine.stages()).collected;
  } catch (error) {
    if (error instanceof DiscoveryError) return undefined;
    throw error;
  } finally {
    await engine.close();
  }
}

/** What an edit has changed, for people and programs. */
export interface EditReport {
  readonly file: string;
  /** The file did not exist before. */
  readonly isNew: boolean;
  /** Servers that were offered before and are not any more, besides those that the edit was about. */
  readonly lost: readonly string[];
  /** Servers that are offered now and were not before. */
  readonly gained: readonly string[];
}

export interface Edit {
  /** For `anygpt mcp undo --list`: `add github`. */
  readonly action: string;
  readonly after: Uint8Array;
  /** Names that the edit is meant to take away. */
  readonly removes?: readonly string[];
}

export async function planChanges(
  { target }: ServerDesk,
  toChanges: (view: ConfigView) => readonly Change[],
): Promise<Uint8Array> {
  return await planEdit(target, toChanges);
}

/** Writes the edit with a backup, and compares the servers before and after. */
export async function carryOut(desk: ServerDesk, edit: Edit): Promise<EditReport> {
  const { place, target } = desk;
  const backups = createBackups(join(place.stateFolder, "backups"), place.now, edit.action);
  await writeEdit(target, edit.after, { backups, trust: place.trust });
  return { file: target.file, isNew: target.bytes === undefined, ...(await lostServers(desk, edit.removes)) };
}

/** Compares the servers that are offered now with those of the desk. */
export async function lostServers(
  { offered, options }: ServerDesk,
  meant: readonly string[] = [],
): Promise<Pick<EditReport, "lost" | "gained">> {
  return compareServers(offered, await findOffered(options), meant);
}

/** Names in `meant` count as taken away on purpose. */
export function compareServers(
  offered: FoundServers | undefined,
  now: FoundServers | undefined,
  meant: readonly string[] = [],
): Pick<EditReport, "lost" | "gained"> {
  const [before, after] = [namesIn(offered), namesIn(now)];
  const removed = new Set(meant.map(identity));
  return {
    lost: before.filter((name) => !after.includes(name) && !removed.has(identity(name))),
    gained: after.filter((name) => !before.includes(name)),
  };
}

function namesIn(found: FoundServers | undefined): string[] {
  return (found?.servers ?? []).map(({ name }) => name);
}

/** What a name stands for. */
export type Known =
  | {
      readonly kind: "own";
      readonly name: string;
      readonly section: NamedSection;
      readonly entry?: ServerEntry;
      readonly isEnabled: boolean;
    }
  /** `where`: the client and its file, or another file. */
  | { readonly kind: "found"; readonly name: string; readonly where: string; readonly client?: string }
  /** The client itself does not use it. */
  | { readonly kind: "off-there"; readonly name: string; readonly where: string; readonly reason: string };

/** Finds a server by its name, or fails with the nearest one. */
export function findKnown(wanted: string, desk: ServerDesk): Known {
  const known = ownOf(wanted, desk.target) ?? foundOf(wanted, desk) ?? offThereOf(wanted, desk);
  if (known !== undefined) return known;
  const nearest = nearestWord(wanted, allNames(desk));
  throw new DiscoveryError("SERVER_NOT_FOUND", `There is no server named "${wanted}".`, {
    hint: nearest === undefined ? "Run `anygpt mcp list` to see the names." : `Did you mean "${nearest}"?`,
  });
}

export function ownOf(wanted: string, { config }: Pick<Target, "config">): (Known & { kind: "own" }) | undefined {
  const isIt = ({ name }: { readonly name: string }): boolean => identity(name) === identity(wanted);
  const entry = config?.servers.find(isIt);
  if (entry !== undefined) {
    return { kind: "own", name: entry.name, section: "servers", entry, isEnabled: entry.enabled };
  }
  const adapter = config?.adapters.find(isIt);
  return adapter && { kind: "own", name: adapter.name, section: "adapters", isEnabled: adapter.enabled };
}

function foundOf(wanted: string, { offered, target }: ServerDesk): Known | undefined {
  const found = offered?.servers.find(({ name }) => identity(name) === identity(wanted));
  if (found === undefined || found.origin === target.file) return undefined;
  const from = offered?.origins.get(found.name);
  const where = from === undefined ? found.origin : `${from.client} (${from.file})`;
  return { kind: "found", name: found.name, where, ...(from === undefined ? {} : { client: from.client }) };
}

function offThereOf(wanted: string, { offered }: ServerDesk): Known | undefined {
  for (const { type, path, skipped = [] } of offered?.sources ?? []) {
    const one = skipped.find(({ name, kind }) => kind === "disabled" && identity(name) === identity(wanted));
    if (one !== undefined) return { kind: "off-there", name: one.name, where: `${type} (${path})`, reason: one.reason };
  }
  return undefined;
}

function allNames({ target: { config }, offered }: ServerDesk): string[] {
  return [...(config?.servers ?? []), ...(config?.adapters ?? []), ...(offered?.servers ?? [])].map(({ name }) => name);
}
