// Finds the log of an npm run. If a script of a package fails, npx exits without output, and only this log contains the
// reason (npm 7 to 11).
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { npmSetting } from "../../util/npm-settings.js";
import { readRegularTextSync } from "../../util/regular-file.js";
import { findErrorLine } from "../process/error-line.js";
import type { Installer } from "./installer.js";
import { npmCacheOf } from "./npx-cache.js";

export interface NpmLog {
  readonly file: string;
  /** The log line that explains the failure. Undefined if none was found. */
  readonly line: string | undefined;
}

export interface NpmRun {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** When the run began, as wall-clock time in milliseconds. Older logs belong to other runs. */
  readonly since: number;
}

const FAILED_SCRIPT = /^run \S+ \w+ \{ code: (?:[1-9]\d*|null), /;
const MAX_BYTES = 4 * 1024 * 1024;
/** Tolerance for file times: Linux takes them from a clock that is up to one tick (10 ms) behind the wall clock. */
const COARSE_CLOCK_MS = 20;

/** The log that npm wrote for these packages since the given time. */
export function findNpmLog({ npm, packages }: Installer, { env, cwd, since }: NpmRun): NpmLog | undefined {
  if (npm === undefined) return undefined;
  const folder = resolve(cwd, npmSetting(env, "logs-dir") ?? join(npm.cache ?? npmCacheOf(env), "_logs"));
  for (const file of newestLogs(folder, since)) {
    const rows = readRegularTextSync(file).split("\n");
    const argv = rows.find((row) => /^\d+ verbose argv /.test(row)) ?? "";
    if (packages.every((spec) => argv.includes(`"${spec}"`))) return { file, line: decisiveLine(rows) };
  }
  return undefined;
}

function newestLogs(folder: string, since: number): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".log"))
      .sort()
      .reverse()
      .map((name) => join(folder, name))
      .filter((file) => {
        const { mtimeMs, size } = statSync(file);
        return mtimeMs >= since - COARSE_CLOCK_MS && size <= MAX_BYTES;
      });
  } catch {
    return [];
  }
}

function decisiveLine(rows: readonly string[]): string | undefined {
  const texts = (level: string): string[] =>
    rows.flatMap((row) => new RegExp(`^\\d+ ${level} (.+)$`).exec(row)?.[1] ?? []);
  return (
    findErrorLine(texts("error").map((text) => `npm error ${text}`)) ??
    texts("info").find((text) => FAILED_SCRIPT.test(text))
  );
}
