import { randomBytes } from "node:crypto";
import { link, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DiscoveryError } from "../../errors.js";
import { hasCode } from "./has-code.js";
import { readRegularText } from "../../util/regular-file.js";

/**
 * A lock older than this belongs to a process that has ended, even if its process id is in use again, because an edit
 * takes only milliseconds.
 */
const MAX_AGE_MS = 60_000;
const MAX_WAIT_MS = 20_000;
const POLL_MS = 20;

export interface FileLockOptions {
  /**
   * `write`: held while a file is compared and renamed. `edit`: held from reading to writing; its holder also takes the
   * `write` lock.
   */
  readonly kind: "write" | "edit";
  readonly maxWaitMs?: number;
}

/** Runs the work while holding the file's lock of this kind, which only one process or task on this machine can hold. */
export async function withFileLock<T>(
  path: string,
  { kind, maxWaitMs = MAX_WAIT_MS }: FileLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const file = join(dirname(path), `.${basename(path)}.${kind}-lock`);
  const mine = `${process.pid} ${randomBytes(8).toString("hex")}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const end = performance.now() + maxWaitMs;
  while (!(await take(file, mine))) {
    if (performance.now() > end) throw busy(path, file);
    if (!(await removeStale(file))) await delay(POLL_MS * (0.5 + Math.random()));
  }
  try {
    return await work();
  } finally {
    if ((await contentOf(file)) === mine) await rm(file, { force: true });
  }
}

/** Creates the lock as a hard link: creating a link fails if the name exists, and no process can see an empty lock. */
async function take(file: string, mine: string): Promise<boolean> {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(temporary, mine, { flag: "wx", mode: 0o600 });
    await link(temporary, file);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function removeStale(file: string): Promise<boolean> {
  const holder = await contentOf(file);
  if (holder === undefined) return true;
  const age = await stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  if (age < MAX_AGE_MS && isAlive(Number.parseInt(holder, 10))) return false;
  const aside = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await rename(file, aside);
  } catch {
    return true;
  }
  // Another process may have replaced the stale lock by its own just before the rename. Restore that lock.
  if ((await contentOf(aside)) !== holder) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
  return true;
}

async function contentOf(file: string): Promise<string | undefined> {
  return await readRegularText(file).catch(() => undefined);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

function busy(path: string, file: string): DiscoveryError {
  return new DiscoveryError(
    "CONFIGURATION_ERROR",
    `${path} is being edited by another process, so it was not changed.`,
    {
      hint: [
        { action: "retry" },
        "If no other command is running, remove the lock file.",
        { action: "edit-file", path: file, change: "remove" },
      ],
    },
  );
}
