import { readdir } from "node:fs/promises";

/** The folder with the lock files of the processes that use the store (its owners). */
export function ownersFolder(file: string): string {
  return `${file}-owners`;
}

/**
 * Whether a process uses the store or left a call in it that must be recovered. Reads one folder and does not open the
 * database, to be fast: there is nearly always nothing to recover.
 */
export async function hasOwners(file: string): Promise<boolean> {
  try {
    return (await readdir(ownersFolder(file))).length > 0;
  } catch (error) {
    // An unreadable folder may contain a lock file, so return true. The recovery that follows reports the error.
    return !(error instanceof Error && "code" in error && error.code === "ENOENT");
  }
}
