import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { randomBytes } from "node:crypto";

/** A process that starts a daemon has given up long before. */
const OLDEST_MS = 60_000;

/** Gives what releases the lock; undefined while another live process holds it. */
export function tryLock(file: string): (() => void) | undefined {
  if (!create(file)) {
    if (!isStale(file) || !remove(file) || !create(file)) return undefined;
  }
  return () => {
    if (readHolder(file) === process.pid) rmSync(file, { force: true });
  };
}

function create(file: string): boolean {
  try {
    const handle = openSync(file, "wx", 0o600);
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function isStale(file: string): boolean {
  try {
    const isOld = Date.now() - statSync(file).mtimeMs > OLDEST_MS;
    const holder = readHolder(file);
    // An empty file was made a moment ago.
    return isOld || (holder !== undefined && !isAlive(holder));
  } catch {
    return false;
  }
}

/** Exactly one of several processes succeeds: the name can be taken away once. */
function remove(file: string): boolean {
  const aside = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    renameSync(file, aside);
    rmSync(aside, { force: true });
    return true;
  } catch {
    return false;
  }
}

function readHolder(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
