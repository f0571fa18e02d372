import { join } from "node:path";
import { packageRoot } from "../../util/package-root.js";
import { openRegularFile } from "../../util/regular-file.js";
import { createTableMemory, type TableMemory } from "./add-rows.js";
import { type Meaning, openMeaning } from "./meaning.js";

const MAX_FILE_BYTES = 64 * 1024 * 1024;

let loaded: Promise<Meaning | undefined> | undefined;

/**
 * Loads the embedding model of this package when a search first needs it. If that fails, search matches words only, and
 * the log says so once.
 */
export function loadBundledModel(log: (message: string) => void): Promise<Meaning | undefined> {
  loaded ??= loadModel(join(packageRoot(), "model/tools.bin"), log);
  return loaded;
}

export async function loadModel(file: string, log: (message: string) => void): Promise<Meaning | undefined> {
  try {
    return openMeaning(await readInPlace(file));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown";
    log(
      `Search matches words only, because the model of this package could not be loaded (${reason}). Reinstall the package.`,
    );
    return undefined;
  }
}

async function readInPlace(file: string): Promise<TableMemory> {
  const handle = await openRegularFile(file);
  try {
    const { size } = await handle.stat();
    if (size > MAX_FILE_BYTES) throw new Error("the file is too large");
    const table = createTableMemory(size);
    for (let read = 0; read < size; ) {
      const { bytesRead } = await handle.read(table.file, read);
      if (bytesRead === 0) throw new Error("the file ended early");
      read += bytesRead;
    }
    return table;
  } finally {
    await handle.close();
  }
}
