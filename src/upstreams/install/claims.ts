// Lets one process at a time install the same packages, across gateways that share a state folder.
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isSameProcess, startTimeOf } from "../process/start-time.js";

/** Which process installs, and since when (time of day). */
interface Claimant {
  readonly pid: number;
  readonly startTime: string | undefined;
  readonly beganAt: number;
}

export interface Claim {
  /** From now on the claim lasts until this process ends or the claim is released. */
  handTo(pid: number): void;
  release(): void;
}

export interface ClaimParts {
  readonly folder: string;
  /** A claim that is older does not count. */
  readonly limitMs: number;
}

const SUFFIX = ".claim";
const LOOK_AGAIN_MS = 200;

/**
 * Takes the claim on a key, or gives undefined as soon as it is not needed any more. Every process creates a file of its
 * own name and then looks for others: of two, at most one sees none. So nobody ever removes the file of a living one.
 */
export async function takeClaim(
  key: string,
  parts: ClaimParts,
  isNeeded: () => boolean,
  signal: AbortSignal,
): Promise<Claim | undefined> {
  mkdirSync(parts.folder, { recursive: true, mode: 0o700 });
  for (;;) {
    signal.throwIfAborted();
    if (!isNeeded()) return undefined;
    if (!isClaimed(key, parts)) {
      const claim = createClaim(key, parts.folder);
      if (claim.isAlone(parts)) return claim;
      claim.release();
    }
    await pause(LOOK_AGAIN_MS * (0.5 + Math.random()), undefined, { signal });
  }
}

/** Whether a living process claims the key. */
export function isClaimed(key: string, parts: ClaimParts, except?: string): boolean {
  return claimFiles(key, parts.folder).some((file) => file !== except && isLiving(join(parts.folder, file), parts));
}

function createClaim(key: string, folder: string): Claim & { isAlone(parts: ClaimParts): boolean } {
  const name = `${key}.${randomBytes(6).toString("hex")}${SUFFIX}`;
  const file = join(folder, name);
  const beganAt = Date.now();
  const write = (pid: number): void => {
    const claimant: Claimant = { pid, startTime: startTimeOf(pid), beganAt };
    // A reader must never see half a claim.
    writeFileSync(`${file}.tmp`, JSON.stringify(claimant), { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  };
  write(process.pid);
  return {
    handTo: write,
    release: () => rmSync(file, { force: true }),
    isAlone: (parts) => !isClaimed(key, parts, name),
  };
}

function claimFiles(key: string, folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(`${key}.`) && name.endsWith(SUFFIX));
  } catch {
    return [];
  }
}

/** A claim whose process is gone is removed: its name is never used again. */
function isLiving(file: string, { limitMs }: ClaimParts): boolean {
  const claimant = readClaim(file);
  if (claimant === undefined) return false;
  const { pid, startTime, beganAt } = claimant;
  const isLate = Date.now() - beganAt > limitMs;
  if (!isLate && isSameProcess(pid, startTime)) return true;
  rmSync(file, { force: true });
  return false;
}

function readClaim(file: string): Claimant | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Claimant;
  } catch {
    return undefined;
  }
}
