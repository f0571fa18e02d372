import { createHash, randomBytes } from "node:crypto";
import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "../../model/json.js";
import type { Path } from "../../util/document/problem.js";
import { realPathOf } from "./replace-file.js";
import { writePrivateFile } from "../../util/private-files.js";
import { readRegularFile, readRegularText } from "../../util/regular-file.js";

/** The role of a file in an import. Undo restores the files of MCP clients first. */
export type BackupRole = "client" | "config" | "variables";

/** The backup of a file that a command wrote: its content before and after. */
export interface Backup {
  /** The id of the command run that wrote the file. Ids sort by time. */
  readonly run: string;
  /** The command, such as `add github`. Undefined for an import. */
  readonly action?: string;
  readonly number: number;
  readonly role: BackupRole;
  readonly client?: string;
  readonly path: string;
  /** The file that the path led to, through symbolic links, when the command wrote it. Undefined if the command created it. */
  readonly target?: string;
  /** Set if the file belongs to a project and its content before the edit was trusted. */
  readonly isProject?: true;
  /** SHA-256 of the content before the command wrote the file. Null if the file did not exist. */
  readonly before: string | null;
  readonly after: string;
  /** The permissions before the edit. */
  readonly mode?: number;
  /** Paths of the maps and lists in the file that were changed. */
  readonly sections: readonly Path[];
  /** Keychain entries that were written with the file. Undo does not remove them. */
  readonly keychain?: readonly string[];
}

export interface Backups {
  /** Stores the current content of a file before it is replaced by `after`. */
  keep(entry: NewBackup): Promise<Backup>;
  /** All backups, newest first. Within one import, the files of MCP clients come first. */
  list(): Promise<readonly Backup[]>;
  content(backup: Backup, which: "before" | "after"): Promise<Uint8Array | undefined>;
  /** Saves content that an undo overwrites, and returns the path of the copy. */
  keepOverwritten(backup: Backup, bytes: Uint8Array): Promise<string>;
  drop(backup: Backup): Promise<void>;
  /**
   * Deletes the backups of all but the newest `limit` edits. Always keeps edits that also changed files of MCP clients.
   */
  forgetEdits(limit: number): Promise<void>;
}

export interface NewBackup extends Pick<Backup, "role" | "client" | "path" | "sections" | "isProject" | "keychain"> {
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
}

export function fileHash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

const ORDER: Readonly<Record<BackupRole, number>> = { client: 0, config: 1, variables: 2 };

/**
 * Stores the backups of each command in one folder, readable by the owner only. A backup consists of a record, the
 * content before and the content after. Without `action`, the command is an import.
 */
export function createBackups(folder: string, now: () => number, action?: string): Backups {
  const run = `${new Date(now()).toISOString().replace(/[:.]/g, "-")}-${randomBytes(3).toString("hex")}`;
  let next = 0;
  const stem = (backup: Pick<Backup, "run" | "number">): string => join(folder, backup.run, String(backup.number));

  const backups: Backups = {
    async keep({ before, after, ...entry }) {
      next += 1;
      const mode = before === undefined ? undefined : (await stat(entry.path)).mode & 0o7777;
      const backup: Backup = {
        run,
        number: next,
        ...(action === undefined ? {} : { action }),
        ...entry,
        ...(before === undefined ? {} : { target: await realPathOf(entry.path) }),
        before: before === undefined ? null : fileHash(before),
        after: fileHash(after),
        ...(mode === undefined ? {} : { mode }),
      };
      if (before !== undefined) await writePrivateFile(`${stem(backup)}.before`, before);
      await writePrivateFile(`${stem(backup)}.after`, after);
      await writePrivateFile(`${stem(backup)}.json`, `${JSON.stringify(backup, null, 2)}\n`);
      return backup;
    },
    async list() {
      const runs = await readdir(folder).catch(() => []);
      const found = await Promise.all(runs.map((name) => readRun(join(folder, name), name)));
      return found.flat().sort((a, b) => (a.run === b.run ? compare(a, b) : a.run < b.run ? 1 : -1));
    },
    async content(backup, which) {
      return await readRegularFile(`${stem(backup)}.${which}`).catch(() => undefined);
    },
    async keepOverwritten(backup, bytes) {
      const file = `${stem(backup)}.overwritten`;
      await writePrivateFile(file, bytes);
      return file;
    },
    async drop(backup) {
      for (const kind of ["json", "before", "after"]) await rm(`${stem(backup)}.${kind}`, { force: true });
      // The folder may contain saved copies of overwritten content, so it is removed only if it is empty.
      await rmdir(join(folder, backup.run)).catch(() => undefined);
      await rmdir(folder).catch(() => undefined);
    },
    async forgetEdits(limit) {
      const all = await backups.list();
      const clients = new Set(all.filter(({ role }) => role === "client").map((backup) => backup.run));
      const edits = all.filter((backup) => backup.action !== undefined && !clients.has(backup.run));
      const kept = new Set([...new Set(edits.map((backup) => backup.run))].slice(0, limit));
      for (const backup of edits) if (!kept.has(backup.run)) await backups.drop(backup);
    },
  };
  return backups;
}

function compare(a: Backup, b: Backup): number {
  return ORDER[a.role] - ORDER[b.role] || b.number - a.number;
}

async function readRun(folder: string, run: string): Promise<Backup[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d+\.json$/.test(name));
  const read = await Promise.all(
    names.map(async (name) => toBackup(await readRegularText(join(folder, name)).catch(() => ""), run)),
  );
  return read.flat();
}

/** Parses a record. Ignores an incomplete one: a file is replaced only after its record was written. */
function toBackup(text: string, run: string): Backup[] {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value) || typeof value["path"] !== "string" || typeof value["after"] !== "string") return [];
    return [{ ...(value as unknown as Backup), run }];
  } catch {
    return [];
  }
}
