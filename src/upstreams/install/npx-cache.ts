// Where npx installs packages, and what state an installation is in. Facts of libnpmexec and arborist as of npm 7 to 11.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { npmSetting } from "../../util/npm-settings.js";
import type { Installer } from "./installer.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** npm 11 touches the lock every second and takes one over that is older than this. */
const LOCK_STALE_MS = 60_000;

export const NPX_LOCK = "concurrency.lock";

/**
 * `absent`: no package is there. `installing`: npm holds its lock. `complete`: every package is there.
 * `partial`: packages are there and npm has not finished. An npm without a lock (before 11) may be at work.
 */
export type NpxState = "absent" | "installing" | "complete" | "partial";

/** The folder that npx installs the packages into; undefined where npx would run a local folder or file. */
export function npxFolderOf({ npm, packages }: Installer, env: Environment, cwd: string): string | undefined {
  if (npm === undefined || packages.some(isLocal)) return undefined;
  const sorted = [...packages].sort((a, b) => a.localeCompare(b, "en"));
  const hash = createHash("sha512").update(sorted.join("\n")).digest("hex").slice(0, 16);
  return join(resolve(cwd, npm.cache ?? npmCacheOf(env)), "_npx", hash);
}

/** npx asks the registry for anything else than exact versions, and installs what is newer. */
export function areExactVersions(packages: readonly string[]): boolean {
  return packages.every((spec) => /^(?:@[^/@]+\/)?[^/@]+@\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(spec));
}

/** npm writes `.package-lock.json` last: whatever is newer than it belongs to an installation that has not ended. */
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

/** Packages that npm says it has installed here, and that are not there. */
export function missingPackages(folder: string): string[] {
  try {
    const { packages } = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8")) as {
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

/** npm's `cache` setting: the environment, then the user's npmrc, then the default. */
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
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
