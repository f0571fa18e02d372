import { statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { ServerConnection } from "../../model/server.js";
import type { ConnectionTarget } from "./connection-resolver.js";

/** The working folder and the environment variables that are used to find commands. */
export interface CommandEnvironment {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Whether a start would fail at once: a variable of the server is not set, or its command does not exist. */
export function cannotStart(target: () => ConnectionTarget, runtime: CommandEnvironment): boolean {
  try {
    return !hasCommand(target().withoutSecrets(), runtime);
  } catch {
    return true;
  }
}

function hasCommand(connection: ServerConnection, { cwd, env }: CommandEnvironment): boolean {
  // Windows appends extensions such as `.exe` to a command name, so a check for the exact file name would be wrong
  // there.
  if (connection.kind !== "stdio" || process.platform === "win32") return true;
  const { command } = connection;
  if (command.includes("/")) return isFile(resolve(connection.cwd ?? cwd, command));
  const path = connection.env["PATH"] ?? env["PATH"];
  return path === undefined || path.split(delimiter).some((folder) => isFile(resolve(cwd, folder, command)));
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // A folder of the PATH that this user may not read.
    return false;
  }
}
