import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isBusy } from "./busy.js";
import { type Database, driver } from "./driver.js";

/**
 * Tracks which processes that use the store (owners) are alive. Each owner holds a lock on its own file; the operating
 * system releases the lock when the process ends for any reason. This needs no heartbeat, no clock and no process id
 * (which could be reused). A process that is suspended counts as alive.
 */
export interface Owners {
  readonly self: string;
  isAlive(owner: string): boolean;
  /**
   * Removes the lock files of owners that have ended, except those for which `needsRecovery` is true: a remaining file
   * makes the next start recover the calls of its owner.
   */
  clear(needsRecovery: (owner: string) => boolean): void;
  /**
   * Releases the lock. If `keepFile` is true, the lock file remains and the next start recovers the calls of this
   * owner.
   */
  close(keepFile: boolean): void;
}

/** Checks which owners are alive without registering as one. */
export function createWatcher(folder: string): Owners {
  const gone = new Set<string>();
  return {
    self: "",
    isAlive(owner) {
      if (!gone.has(owner) && isLocked(join(folder, owner))) return true;
      gone.add(owner);
      return false;
    },
    clear: () => undefined,
    close: () => undefined,
  };
}

export function openOwners(folder: string): Owners {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { self, lock } = register(folder);
  const watcher = createWatcher(folder);
  return {
    self,
    isAlive: (owner) => owner === self || watcher.isAlive(owner),
    clear(needsRecovery) {
      const others = readdirSync(folder).filter((owner) => owner !== self);
      for (const owner of others) removeIfGone(join(folder, owner), () => !needsRecovery(owner));
    },
    close(keepFile) {
      lock.close();
      if (!keepFile) removeQuietly(join(folder, self));
    },
  };
}

function register(folder: string): { self: string; lock: Database } {
  for (;;) {
    const self = randomBytes(12).toString("hex");
    const lock = tryLock(join(folder, self));
    // Another process may have removed the file as stale before this process locked it.
    if (lock !== undefined && existsSync(join(folder, self))) return { self, lock };
    lock?.close();
    removeQuietly(join(folder, self));
  }
}

function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  const lock = tryLock(file);
  lock?.close();
  return lock === undefined;
}

/** Removes the file only while holding its lock. Otherwise, a process that is just registering could lose its file. */
function removeIfGone(file: string, canRemove: () => boolean): void {
  const lock = tryLock(file);
  if (lock === undefined) return;
  const isRemovable = canRemove();
  if (isRemovable) removeQuietly(file);
  lock.close();
  if (isRemovable && process.platform === "win32") removeQuietly(file);
}

/**
 * Ignores errors: Windows cannot delete a file that another process has open. The next process that opens the store
 * deletes it.
 */
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The remaining file is empty and harmless.
  }
}

function tryLock(file: string): Database | undefined {
  const { DatabaseSync } = driver();
  const lock = new DatabaseSync(file);
  try {
    lock.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}
