import { join } from "node:path";
import type { LoadParts } from "../../config/load.js";
import { openEngine } from "../../engine.js";
import type { OpenOptions } from "../../gateway/engine-options.js";
import { environmentFor } from "../../gateway/find-configuration.js";
import { DiscoveryError } from "../../errors.js";
import type { RuntimeEnvironment } from "../../gateway/runtime-environment.js";
import type { FoundServers } from "../../gateway/configured-servers.js";
import { identity } from "../../sources/merge.js";
import type { ServerEntry } from "../../sources/options.js";
import type { Change } from "../../sources/rewrite/change.js";
import type { ConfigView, NamedSection } from "../../sources/rewrite/edit-config.js";
import { nearestWord } from "../../util/edit-distance.js";
import { readRegularFile } from "../../util/regular-file.js";
import { createBackups } from "../files/backups.js";
import { assertTrusted, planEdit, writeEdit } from "../files/edit-target.js";
import { withFileLock } from "../files/file-lock.js";
import { realPathOf } from "../files/replace-file.js";
import { findTarget, type EditTarget } from "../files/target.js";
import { NEW_CONFIG } from "../files/template.js";

/** The configuration file to edit and the servers that the gateway offers now. */
export interface ServerDesk {
  readonly options: OpenOptions;
  readonly place: RuntimeEnvironment;
  readonly loadParts: LoadParts;
  readonly target: EditTarget;
  /**
   * The servers that the gateway offers. Undefined if the effective configuration is invalid; it can be a different
   * file than `target`.
   */
  readonly offered: FoundServers | undefined;
}

/** Options that decide which configuration file is edited. */
export interface DeskOptions {
  /** Edit the configuration of the project instead of the user's. */
  readonly isProject?: boolean;
}

export async function openServerDesk(
  options: OpenOptions,
  { isProject = false }: DeskOptions = {},
): Promise<ServerDesk> {
  const { loadParts, ...place } = environmentFor(options);
  const target = await findTarget(loadParts, { isProject, newName: NEW_CONFIG });
  assertTrusted(target, place.trust);
  return { options, place, loadParts, target, offered: await findOffered(options) };
}

/** The servers of the effective configuration. Starts none of them. */
export async function findOffered(options: OpenOptions): Promise<FoundServers | undefined> {
  const engine = openEngine(options);
  try {
    return (await engine.stages()).configuredServers;
  } catch (error) {
    if (error instanceof DiscoveryError) return undefined;
    throw error;
  } finally {
    await engine.close();
  }
}

/** The result of an edit of the configuration. */
export interface EditReport {
  readonly file: string;
  /** True if the edit created the file. */
  readonly isNew: boolean;
  /** Servers that the gateway no longer offers, apart from those that the edit was intended to remove. */
  readonly lost: readonly string[];
  /** Servers that the gateway offers only since the edit. */
  readonly gained: readonly string[];
}

export interface Edit {
  /** The name of the edit in `anygpt mcp undo --list`, such as `add github`. */
  readonly action: string;
  readonly after: Uint8Array;
  /** Plans the edit again if another command has written the file in the meantime. */
  readonly replan: (desk: ServerDesk) => Promise<Uint8Array>;
  /** Names of the servers that the edit is intended to remove. */
  readonly removes?: readonly string[];
}

export async function planChanges(
  { target }: ServerDesk,
  toChanges: (view: ConfigView) => readonly Change[],
): Promise<Uint8Array> {
  return await planEdit(target, toChanges);
}

/** Waits for edits of other commands, writes the edit with a backup, and compares the servers before and after. */
export async function applyEdit(planned: ServerDesk, edit: Edit): Promise<EditReport> {
  const { file } = planned.target;
  const desk = await withFileLock(await realPathOf(file), { kind: "edit" }, async () => {
    const isSame = sameBytes(planned.target.bytes, await readRegularFile(file).catch(() => undefined));
    const desk = isSame ? planned : await reopen(planned);
    const { place, target } = desk;
    const after = isSame ? edit.after : await edit.replan(desk);
    const backups = createBackups(join(place.stateFolder, "backups"), place.now, edit.action);
    await writeEdit(target, after, { backups, trust: place.trust });
    return desk;
  });
  return { file, isNew: desk.target.bytes === undefined, ...(await lostServers(desk, edit.removes)) };
}

/** Reads the file again after another command wrote it. Throws if its content is no longer trusted. */
async function reopen({ options, target }: ServerDesk): Promise<ServerDesk> {
  return await openServerDesk(options, { isProject: target.isProject });
}

function sameBytes(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Buffer.compare(one, other) === 0;
}

/** Compares the servers that the gateway offers now with those before the edit. */
export async function lostServers(
  { offered, options }: ServerDesk,
  intended: readonly string[] = [],
): Promise<Pick<EditReport, "lost" | "gained">> {
  return compareServers(offered, await findOffered(options), intended);
}

/** Finds lost and gained servers. Names in `intended` were removed on purpose and are not reported as lost. */
export function compareServers(
  offered: FoundServers | undefined,
  now: FoundServers | undefined,
  intended: readonly string[] = [],
): Pick<EditReport, "lost" | "gained"> {
  const [before, after] = [namesIn(offered), namesIn(now)];
  const removed = new Set(intended.map(identity));
  return {
    lost: before.filter((name) => !after.includes(name) && !removed.has(identity(name))),
    gained: after.filter((name) => !before.includes(name)),
  };
}

function namesIn(found: FoundServers | undefined): string[] {
  return (found?.servers ?? []).map(({ name }) => name);
}

/** The server that a name refers to. `kind` tells where the server is defined. */
export type Known =
  | {
      readonly kind: "own";
      readonly name: string;
      readonly section: NamedSection;
      readonly entry?: ServerEntry;
      readonly isEnabled: boolean;
    }
  /** A server from another file. `where`: that file, with the name of the MCP client that it belongs to. */
  | { readonly kind: "found"; readonly name: string; readonly where: string; readonly client?: string }
  /** A server that the MCP client has disabled. */
  | { readonly kind: "disabled-by-client"; readonly name: string; readonly where: string; readonly reason: string };

/** Finds a server by its name. Throws `SERVER_NOT_FOUND` with the most similar name. */
export function findKnown(wanted: string, desk: ServerDesk): Known {
  const known = ownOf(wanted, desk.target) ?? foundOf(wanted, desk) ?? disabledByClient(wanted, desk);
  if (known !== undefined) return known;
  const nearest = nearestWord(wanted, allNames(desk));
  throw new DiscoveryError("SERVER_NOT_FOUND", `No server is named "${wanted}".`, {
    hint: nearest === undefined ? { action: "list-servers" } : `Did you mean "${nearest}"?`,
  });
}

export function ownOf(wanted: string, { config }: Pick<EditTarget, "config">): (Known & { kind: "own" }) | undefined {
  const hasName = ({ name }: { readonly name: string }): boolean => identity(name) === identity(wanted);
  const entry = config?.servers.find(hasName);
  if (entry !== undefined) {
    return { kind: "own", name: entry.name, section: "servers", entry, isEnabled: entry.enabled };
  }
  const adapter = config?.adapters.find(hasName);
  return adapter && { kind: "own", name: adapter.name, section: "adapters", isEnabled: adapter.enabled };
}

function foundOf(wanted: string, { offered, target }: ServerDesk): Known | undefined {
  const found = offered?.servers.find(({ name }) => identity(name) === identity(wanted));
  if (found === undefined || found.origin === target.file) return undefined;
  const from = offered?.origins.get(found.name);
  const where = from === undefined ? found.origin : `${from.client} (${from.file})`;
  return { kind: "found", name: found.name, where, ...(from === undefined ? {} : { client: from.client }) };
}

function disabledByClient(wanted: string, { offered }: ServerDesk): Known | undefined {
  for (const { type, path, skipped = [] } of offered?.sources ?? []) {
    const one = skipped.find(({ name, kind }) => kind === "disabled" && identity(name) === identity(wanted));
    if (one !== undefined) {
      return { kind: "disabled-by-client", name: one.name, where: `${type} (${path})`, reason: one.reason };
    }
  }
  return undefined;
}

function allNames({ target: { config }, offered }: ServerDesk): string[] {
  return [...(config?.servers ?? []), ...(config?.adapters ?? []), ...(offered?.servers ?? [])].map(({ name }) => name);
}
