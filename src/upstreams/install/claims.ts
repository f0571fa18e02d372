// Ensures that one process at a time installs the same packages, across gateways that share a state folder.
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isSameProcess, startTimeOf } from "../../util/start-time.js";
import { readRegularTextSync } from "../../util/regular-file.js";

/** The content of a claim file, which names the process that installs a package. */
interface Claimant {
  readonly pid: number;
  readonly startTime: string | undefined;
  /** When the claim was created, as wall-clock time in milliseconds. */
  readonly beganAt: number;
}

export interface InstallClaim {
  /** Transfers the claim to another process: the claim then lasts until that process exits or the claim is released. */
  transferTo(pid: number): void;
  release(): void;
}

export interface ClaimParts {
  readonly folder: string;
  /** Claims older than this are ignored. */
  readonly limitMs: number;
}

const SUFFIX = ".claim";
const POLL_MS = 200;

/**
 * Waits until this process holds the claim on a key. Returns undefined as soon as the claim is no longer needed. Every
 * process creates a file with a unique name and then looks for files of other processes: of two processes, at most one
 * finds none. So no process ever has to remove the file of a running process.
 */
export async function takeClaim(
  key: string,
  parts: ClaimParts,
  isNeeded: () => boolean,
  signal: AbortSignal,
): Promise<InstallClaim | undefined> {
  mkdirSync(parts.folder, { recursive: true, mode: 0o700 });
  for (;;) {
    signal.throwIfAborted();
    if (!isNeeded()) return undefined;
    if (!isInstallClaimed(key, parts)) {
      const claim = createClaim(key, parts.folder);
      if (claim.isAlone(parts)) return claim;
      claim.release();
    }
    await pause(POLL_MS * (0.5 + Math.random()), undefined, { signal });
  }
}

/** Whether a running process holds a claim on the key. */
export function isInstallClaimed(key: string, parts: ClaimParts, except?: string): boolean {
  return claimantOf(key, parts, except) !== undefined;
}

/** The id of the running process that holds a claim on the key. */
export function claimantOf(key: string, parts: ClaimParts, except?: string): number | undefined {
  return claimFiles(key, parts.folder)
    .filter((file) => file !== except)
    .map((file) => livingClaimant(join(parts.folder, file), parts))
    .find((pid) => pid !== undefined);
}

function createClaim(key: string, folder: string): InstallClaim & { isAlone(parts: ClaimParts): boolean } {
  const name = `${key}.${randomBytes(6).toString("hex")}${SUFFIX}`;
  const file = join(folder, name);
  const beganAt = Date.now();
  const write = (pid: number): void => {
    const claimant: Claimant = { pid, startTime: startTimeOf(pid), beganAt };
    // Written through a temporary file, so that a reader never sees a partial claim.
    writeFileSync(`${file}.tmp`, JSON.stringify(claimant), { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  };
  write(process.pid);
  return {
    transferTo: write,
    release: () => rmSync(file, { force: true }),
    isAlone: (parts) => !isInstallClaimed(key, parts, name),
  };
}

function claimFiles(key: string, folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(`${key}.`) && name.endsWith(SUFFIX));
  } catch {
    return [];
  }
}

/**
 * The id of the running process that a claim file names. The file is removed if that process has exited, which is safe
 * because file names are never reused.
 */
function livingClaimant(file: string, { limitMs }: ClaimParts): number | undefined {
  const claimant = readClaim(file);
  if (claimant === undefined) return undefined;
  const { pid, startTime, beganAt } = claimant;
  const isLate = Date.now() - beganAt > limitMs;
  if (!isLate && isSameProcess(pid, startTime)) return pid;
  rmSync(file, { force: true });
  return undefined;
}

function readClaim(file: string): Claimant | undefined {
  try {
    return JSON.parse(readRegularTextSync(file)) as Claimant;
  } catch {
    return undefined;
  }
}
