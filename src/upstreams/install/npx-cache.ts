// Where npx installs packages, and the state of an installation. Describes libnpmexec and arborist as of npm 7 to 11.
import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { npmSetting } from "../../util/npm-settings.js";
import { readRegularTextSync } from "../../util/regular-file.js";
import type { Installer } from "./installer.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Age after which a lock of npm counts as abandoned. npm 11 updates its lock every second, and takes over a lock that
 * was not updated.
 */
const LOCK_STALE_MS = 60_000;

export const NPX_LOCK = "concurrency.lock";

/**
 * The state of an npx cache folder. `absent`: no package is installed. `installing`: npm holds its lock. `complete`:
 * every package is installed. `partial`: some packages are installed and npm has not finished; an npm without a lock
 * (before 11) may still be running.
 */
export type NpxState = "absent" | "installing" | "complete" | "partial";

/** The folder into which npx installs the packages. Undefined if npx would run a local folder or file. */
export function npxFolderOf({ npm, packages }: Installer, env: Environment, cwd: string): string | undefined {
  if (npm === undefined || packages.some(isLocal)) return undefined;
  const sorted = [...packages].sort((a, b) => a.localeCompare(b, "en"));
  const hash = createHash("sha512").update(sorted.join("\n")).digest("hex").slice(0, 16);
  return join(resolve(cwd, npm.cache ?? npmCacheOf(env)), "_npx", hash);
}

/**
 * Whether all package specs are exact versions. For other specs, npx queries the registry and installs a newer version
 * if there is one.
 */
export function areExactVersions(packages: readonly string[]): boolean {
  return packages.every((spec) => /^(?:@[^/@]+\/)?[^/@]+@\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(spec));
}

/**
 * Determines the state of an npx cache folder. npm writes `.package-lock.json` last, so any newer entry belongs to an
 * installation that has not finished.
 */
export function npxStateOf(folder: string, now: () => number): NpxState {
  const lockedAt = modifiedAt(join(folder, NPX_LOCK));
  if (lockedAt !== undefined && now() - lockedAt < LOCK_STALE_MS) return "installing";
  const modules = join(folder, "node_modules");
  const entries = namesIn(modules);
  if (!entries.some((name) => !name.startsWith("."))) return "absent";
  const doneAt = modifiedAt(join(modules, ".package-lock.json"));
  const holders = [modules, ...entries.filter((name) => name.startsWith("@")).map((scope) => join(modules, scope))];
  const isDone = doneAt !== undefined && holders.every((holder) => (modifiedAt(holder) ?? 0) <= doneAt);
  return isDone ? "complete" : "partial";
}

/** When npm finished its last installation into the folder. Undefined if it never did. */
export function npxInstalledAt(folder: string): number | undefined {
  return modifiedAt(join(folder, "node_modules", ".package-lock.json"));
}

/** Packages that the lock file lists as installed and that are missing in the folder. */
export function missingPackages(folder: string): string[] {
  try {
    const { packages } = JSON.parse(readRegularTextSync(join(folder, "node_modules/.package-lock.json"))) as {
      packages?: Record<string, { optional?: boolean; link?: boolean }>;
    };
    return Object.entries(packages ?? {})
      .filter(([path, entry]) => entry.optional !== true && entry.link !== true && path !== "")
      .map(([path]) => path)
      .filter((path) => modifiedAt(join(folder, path, "package.json")) === undefined);
  } catch {
    return [];
  }
}

/** The `cache` setting of npm: from the environment, then from the user's npmrc, then the default. */
export function npmCacheOf(env: Environment): string {
  const home = env["HOME"] || env["USERPROFILE"] || homedir();
  const named = npmSetting(env, "cache");
  if (named !== undefined) return resolve(named.replace(/^~(?=[\\/]|$)/, home));
  if (process.platform !== "win32") return join(home, ".npm");
  return join(env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), "npm-cache");
}

function isLocal(spec: string): boolean {
  return /^(?:[.~/\\]|file:|[a-z]:[\\/])/i.test(spec);
}

function modifiedAt(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    // A folder that this user may not read. npx reports that itself when it starts.
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
