// Detects that a server failed because its npx cache folder is incomplete. npx neither notices nor repairs this.
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { missingPackages, NPX_LOCK, npxStateOf } from "./npx-cache.js";
import { readRegularTextSync } from "../../util/regular-file.js";

/**
 * npm errors caused by an interrupted installation: npm 11 reports a removed lock; npm 7 to 11 report leftover folders.
 */
const LEFTOVERS = /\bECOMPROMISED\b|Lock compromised|\bENOTEMPTY\b/;
const MISSING_FILE = /Cannot find (?:module|package) '([^']+)'(?: imported from (.+))?$/;
const MISSING_COMMAND = /^sh: (?:\d+: |line \d+: )?([\w.@-]+): (?:command )?not found$/;

/**
 * Whether an npx cache folder is broken. Call this only while no process installs into the folder, and after the server
 * process has exited; `stderr` has the lines that it wrote.
 */
export function isBroken(folder: string, stderr: readonly string[]): boolean {
  const state = npxStateOf(folder, Date.now);
  if (state === "installing") return false;
  if (state === "partial" || missingPackages(folder).length > 0) return true;
  if (stderr.some((line) => LEFTOVERS.test(line))) return existsSync(join(folder, NPX_LOCK)) || state !== "absent";
  return state === "complete" && stderr.some((line) => lacksFile(line, folder) || lacksCommand(line, folder));
}

/**
 * Whether the line reports a missing file of an installed package. If the package was never installed, the package that
 * requires it has a defect, and the folder is not broken.
 */
function lacksFile(line: string, folder: string): boolean {
  const [, wanted] = MISSING_FILE.exec(line) ?? [];
  if (wanted === undefined || wanted.startsWith(".")) return false;
  const modules = join(folder, "node_modules");
  if (isAbsolute(wanted)) return wanted.startsWith(modules);
  const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(wanted) ?? [""];
  return existsSync(join(modules, name, "package.json"));
}

function lacksCommand(line: string, folder: string): boolean {
  const [, command] = MISSING_COMMAND.exec(line) ?? [];
  return (
    command !== undefined &&
    commandsOf(folder).includes(command) &&
    !existsSync(join(folder, "node_modules/.bin", command))
  );
}

/** The names of the executables (`bin`) that the dependencies in the folder's package.json provide. */
function commandsOf(folder: string): string[] {
  return Object.keys(readObject(join(folder, "package.json"))["dependencies"] ?? {}).flatMap((name) => {
    const { bin } = readObject(join(folder, "node_modules", name, "package.json"));
    return typeof bin === "string" ? [name.split("/").at(-1) ?? name] : Object.keys(bin ?? {});
  });
}

function readObject(file: string): Record<string, object | string | undefined> {
  try {
    return JSON.parse(readRegularTextSync(file)) as Record<string, object>;
  } catch {
    return {};
  }
}
