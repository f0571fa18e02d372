import { open } from "node:fs/promises";

/** Resolves when the names in the folder are on the disk too: a new file is lost with a power cut as long as its name is not. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and keeps names safe without it.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
