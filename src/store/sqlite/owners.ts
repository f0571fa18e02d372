import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isBusy } from "./busy.js";
import { type Database, driver } from "./driver.js";

/**
 * Who is alive. Each owner keeps a lock on a file of its own, which the system drops when the process ends, however it
 * ends: no heartbeat, no clock, no process id that somebody else has by now; a process that is stopped is still alive.
 */
export interface Owners {
  readonly self: string;
  isAlive(owner: string): boolean;
  /** Removes the files of the gone that have left nothing: a file stands for what may have to be recovered. */
  clear(hasLeft: (owner: string) => boolean): void;
  /** An owner that leaves something leaves its file too. */
  close(leavesSomething: boolean): void;
}

/** Sees who is alive without being anybody. */
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
    clear(hasLeft) {
      const others = readdirSync(folder).filter((owner) => owner !== self);
      for (const owner of others) removeIfGone(join(folder, owner), () => !hasLeft(owner));
    },
    close(leavesSomething) {
      lock.close();
      if (!leavesSomething) removeQuietly(join(folder, self));
    },
  };
}

function register(folder: string): { self: string; lock: Database } {
  for (;;) {
    const self = randomBytes(12).toString("hex");
    const lock = tryLock(join(folder, self));
    // Another process that clears up may have taken the file for an old one before it was locked.
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

/** While it is locked: a file that is only just being registered must not go when its owner has it. */
function removeIfGone(file: string, mayGo: () => boolean): void {
  const lock = tryLock(file);
  if (lock === undefined) return;
  const goes = mayGo();
  if (goes) removeQuietly(file);
  lock.close();
  if (goes && process.platform === "win32") removeQuietly(file);
}

/** Windows keeps a file that somebody has open; whoever opens the store next clears it up. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It is empty, and nobody minds it.
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
