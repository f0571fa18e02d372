// Restores files from the backups of imports and edits.
import { lstat } from "node:fs/promises";
import { extname } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { restoreSections } from "../../sources/rewrite/restore.js";
import { changedPaths } from "../../sources/rewrite/changed-paths.js";
import { type Backup, type BackupRole, type Backups, fileHash } from "./backups.js";
import { realPathOf, replaceFile } from "./replace-file.js";
import { readRegularFile } from "../../util/regular-file.js";

/** The outcome of undoing the change of one file. */
export interface Undone {
  readonly path: string;
  readonly role: BackupRole;
  readonly client?: string;
  /** `waiting`: not restored, because clients still depend on the file. */
  readonly status: "restored" | "removed" | "as before" | "refused" | "waiting";
  readonly reason?: string;
  /** Paths in the file that were changed after the command wrote it. */
  readonly changed?: readonly string[];
  /** The file with the saved copy of the overwritten content. */
  readonly overwritten?: string;
  /** Keychain entries that were written with the file. They are not removed. */
  readonly keychain?: readonly string[];
}

export interface UndoOptions {
  /** Also restore a file that was changed after the command wrote it. */
  readonly isForced: boolean;
  readonly isDryRun: boolean;
}

/** The backups of the last command that wrote files. */
export function selectLast(all: readonly Backup[]): Backup[] {
  return all.filter(({ run }) => run === all[0]?.run);
}

/** The backups of the last import or, if clients are named, the newest backup of each file of these clients. */
export function selectImport(backups: readonly Backup[], clients: readonly string[]): Backup[] {
  const all = backups.filter(({ action }) => action === undefined);
  const [newest] = all;
  if (clients.length === 0) return all.filter(({ run }) => run === newest?.run);
  const seen = new Set<string>();
  return all.filter(
    ({ client, path }) => client !== undefined && clients.includes(client) && !seen.has(path) && seen.add(path),
  );
}

export async function undoBackups(
  selected: readonly Backup[],
  backups: Backups,
  options: UndoOptions,
): Promise<Undone[]> {
  const undone: Undone[] = [];
  let isNeeded = false;
  for (const backup of selected) {
    const now = await readCurrent(backup.path);
    if (now.kind === "unreadable") {
      undone.push({ ...about(backup), status: "refused", reason: now.reason });
      isNeeded ||= !now.isReplaced;
      continue;
    }
    // The configuration is not restored while a client still starts the gateway: the client needs the servers in it.
    const one =
      backup.role !== "client" && isNeeded ? waiting(backup) : await undoOne(backup, backups, { ...options, ...now });
    isNeeded ||= one.status === "refused" || one.status === "waiting";
    undone.push(one);
  }
  return undone;
}

function waiting(backup: Backup): Undone {
  return { ...about(backup), status: "waiting", reason: "a file that could not be restored depends on it" };
}

function about({ path, role, client, keychain }: Backup): Pick<Undone, "path" | "role" | "client" | "keychain"> {
  return {
    path,
    role,
    ...(client === undefined ? {} : { client }),
    ...(keychain === undefined ? {} : { keychain }),
  };
}

type CurrentContent =
  | { readonly kind: "readable"; readonly now: Uint8Array | undefined }
  /** `isReplaced`: a folder is at the path, so no client reads the file and nothing depends on it. */
  | { readonly kind: "unreadable"; readonly reason: string; readonly isReplaced: boolean };

async function readCurrent(path: string): Promise<CurrentContent> {
  try {
    return { kind: "readable", now: await readRegularFile(path) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    if (code === "ENOENT") return { kind: "readable", now: undefined };
    const replaced = REPLACED[code];
    const reason = replaced ?? `it cannot be read (${code})`;
    return { kind: "unreadable", reason, isReplaced: replaced !== undefined };
  }
}

const REPLACED: Readonly<Record<string, string>> = {
  EISDIR: "a folder is at its path",
  ENOTDIR: "a file is at the path of its folder",
};

type UndoOneOptions = UndoOptions & { readonly now: Uint8Array | undefined };

async function undoOne(backup: Backup, backups: Backups, { isForced, isDryRun, now }: UndoOneOptions): Promise<Undone> {
  const before = backup.before === null ? undefined : await backups.content(backup, "before");
  if (backup.before !== null && (before === undefined || fileHash(before) !== backup.before)) {
    return { ...about(backup), status: "refused", reason: "the backup is damaged" };
  }
  const current = now === undefined ? null : fileHash(now);
  // Another program may have put a link here since, which leads to a file that the command has never written.
  if (current !== backup.after && current !== backup.before && !(await leadsToSameFile(backup))) {
    const reason = `it leads to ${await realPathOf(backup.path)}, which is another file than before`;
    return { ...about(backup), status: "refused", reason };
  }
  if (current === backup.before) {
    if (!isDryRun) await backups.drop(backup);
    return { ...about(backup), status: "as before" };
  }
  if (current !== backup.after && !isForced) return await refuseChanged(backup, backups, now);
  const status = before === undefined ? "removed" : "restored";
  if (isDryRun) return { ...about(backup), status };
  return await restore(backup, backups, { now, before });
}

/** Without a recorded target, the path was no link. */
async function leadsToSameFile({ path, target }: Backup): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return true;
  return target === undefined ? !found.isSymbolicLink() : (await realPathOf(path)) === target;
}

async function restore(
  backup: Backup,
  backups: Backups,
  { now, before }: { readonly now: Uint8Array | undefined; readonly before: Uint8Array | undefined },
): Promise<Undone> {
  const { path, mode } = backup;
  const isChanged = now !== undefined && fileHash(now) !== backup.after;
  const after = isChanged ? await backups.content(backup, "after") : undefined;
  // If the servers are unchanged since the import, only they are restored; other changes of the file are preserved.
  const merged =
    isChanged && before !== undefined && after !== undefined && isJson(path)
      ? restoreSections({ before, after, now, sections: backup.sections })
      : undefined;
  const bytes = merged ?? before;
  const overwritten = isChanged ? await backups.keepOverwritten(backup, now) : undefined;
  try {
    await replaceFile({ path, expected: now, bytes, ...(mode === undefined ? {} : { mode }) });
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    return { ...about(backup), status: "refused", reason: error.message };
  }
  await backups.drop(backup);
  const status = bytes === undefined ? "removed" : "restored";
  return { ...about(backup), status, ...(overwritten === undefined ? {} : { overwritten }) };
}

async function refuseChanged(backup: Backup, backups: Backups, now: Uint8Array | undefined): Promise<Undone> {
  const refusal = { ...about(backup), status: "refused" } as const;
  if (now === undefined) return { ...refusal, reason: "the file no longer exists" };
  const after = await backups.content(backup, "after");
  const changed = after === undefined ? [] : await changedPaths(after, now, formatOf(backup.path));
  return {
    ...refusal,
    reason: `it was changed since ${backup.action === undefined ? "the import" : `\`${backup.action}\``}`,
    changed,
  };
}

function isJson(path: string): boolean {
  return formatOf(path) === "json";
}

function formatOf(path: string): "json" | "yaml" | "toml" {
  const extension = extname(path).toLowerCase();
  if (extension === ".toml") return "toml";
  return extension === ".yaml" || extension === ".yml" ? "yaml" : "json";
}
