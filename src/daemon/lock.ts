// A lock that one process at a time holds while it starts a daemon.
import { randomBytes } from "node:crypto";
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isSameProcess, startTimeOf } from "../util/start-time.js";
import { readRegularTextSync } from "../util/regular-file.js";

/** Age after which a lock file is ignored: longer than any start of a daemon can take. */
const MAX_AGE_MS = 60_000;

/**
 * Returns a function that releases the lock, or undefined if another running process holds it or requests it at the
 * same time. Every process creates a file with a unique name, `FILE.RANDOM`, and then looks for other files: of two
 * processes, at most one finds no other file. So no process ever has to remove the file of a running process.
 */
export function tryLock(file: string): (() => void) | undefined {
  if (holdersOf(file).length > 0) return undefined;
  const own = `${file}.${randomBytes(6).toString("hex")}`;
  const draft = `${own}.tmp`;
  const release = (): void => rmSync(own, { force: true });
  try {
    writeFileSync(draft, JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) }), { mode: 0o600 });
    renameSync(draft, own);
  } catch (error) {
    // Removes a partial file, which a full disk can leave.
    rmSync(draft, { force: true });
    throw error;
  }
  if (holdersOf(file).every((holder) => holder === own)) return release;
  release();
  return undefined;
}

/** The lock files of running processes. Lock files of exited processes are removed. */
function holdersOf(file: string): string[] {
  const folder = dirname(file);
  const own = new RegExp(`^${basename(file).replaceAll(".", "\\.")}\\.[0-9a-f]{12}$`);
  const files = readdirSync(folder)
    .filter((name) => own.test(name))
    .map((name) => join(folder, name));
  const held = files.filter(isHeld);
  for (const stale of files) if (!held.includes(stale)) rmSync(stale, { force: true });
  return held;
}

function isHeld(file: string): boolean {
  try {
    const { pid, startTime } = JSON.parse(readRegularTextSync(file)) as { pid: number; startTime?: string };
    return Date.now() - statSync(file).mtimeMs < MAX_AGE_MS && isSameProcess(pid, startTime);
  } catch {
    return false;
  }
}
