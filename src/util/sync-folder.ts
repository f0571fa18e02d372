import { open } from "node:fs/promises";

/**
 * Writes the entries of a folder to disk. Without this, a new file can be lost in a power failure although its content
 * was synced.
 */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders and does not need this.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
