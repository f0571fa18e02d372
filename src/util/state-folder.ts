import { statSync } from "node:fs";
import { homedir } from "node:os";
import { DiscoveryError } from "../errors.js";
import { absolutePath } from "./home-path.js";

type Environment = Readonly<Record<string, string | undefined>>;

export function homeOf(env: Environment): string {
  return env["HOME"] || env["USERPROFILE"] || homedir();
}

/** The folder for persistent data: `ANYGPT_HOME`, otherwise `~/.anygpt`. */
export function stateFolderOf(env: Environment, cwd: string): string {
  return absolutePath(env["ANYGPT_HOME"] || "~/.anygpt", { home: homeOf(env), baseDir: cwd });
}

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Throws if other users can write to the state folder: they could replace the records of trust, the keys and the
 * database. A folder that does not exist yet is created with mode 700.
 */
export function assertStateFolderPrivate(folder: string): void {
  if (process.platform === "win32") return;
  const mode = modeOf(folder);
  if (mode === undefined || (mode & WRITABLE_BY_OTHERS) === 0) return;
  const who = (mode & 0o002) === 0 ? "The members of its group" : "All users";
  throw new DiscoveryError(
    "CONFIGURATION_ERROR",
    `${who} can write to the state folder ${folder} (mode ${(mode & 0o777).toString(8)}), so its keys and records of trust are not safe.`,
    {
      hint: [
        `Check that no other user has changed its files, then run \`chmod 700 ${folder}\`.`,
        "To use another folder, set the variable ANYGPT_HOME.",
      ],
    },
  );
}

function modeOf(folder: string): number | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.mode;
  } catch {
    return undefined;
  }
}
