import { readdir } from "node:fs/promises";

/** Where the processes that use the store keep their locks. */
export function ownersFolder(file: string): string {
  return `${file}-owners`;
}

/**
 * Whether a process uses the store, or has left something in it that is to be recovered. Opens no database: what has
 * nothing to recover, which is nearly every start, pays for one look at a folder.
 */
export async function hasOwners(file: string): Promise<boolean> {
  try {
    return (await readdir(ownersFolder(file))).length > 0;
  } catch (error) {
    // What cannot be looked at may hold something; whoever recovers it says what is wrong.
    return !(error instanceof Error && "code" in error && error.code === "ENOENT");
  }
}
