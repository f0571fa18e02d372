import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createTableMemory, type TableMemory } from "./search/meaning/add-rows.js";
import { type Meaning, openMeaning } from "./search/meaning/meaning.js";

// Code run from `src/` is one folder below the package's root, a bundled chunk two.
const PLACES = ["../model/tools.bin", "../../model/tools.bin"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

const LARGEST = 64 * 1024 * 1024;

let loaded: Promise<Meaning | undefined> | undefined;

/** The retrieval model of this package, read when a search first needs it. Without it search goes by words alone, and says so once. */
export function loadOwnModel(log: (message: string) => void): Promise<Meaning | undefined> {
  loaded ??= loadModel(PLACES, log);
  return loaded;
}

/** From the first of these files that can be read. */
export async function loadModel(
  places: readonly string[],
  log: (message: string) => void,
): Promise<Meaning | undefined> {
  try {
    return openMeaning(await readFirst(places));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown";
    log(`Search goes by words alone: the model of this package could not be used (${reason}). Install it again.`);
    return undefined;
  }
}

async function readFirst([place = "", ...others]: readonly string[]): Promise<TableMemory> {
  try {
    return await readInPlace(place);
  } catch (error) {
    if (others.length === 0) throw error;
    return await readFirst(others);
  }
}

async function readInPlace(place: string): Promise<TableMemory> {
  const handle = await open(place);
  try {
    const { size } = await handle.stat();
    if (size > LARGEST) throw new Error("its file is too large");
    const table = createTableMemory(size);
    for (let read = 0; read < size; ) {
      const { bytesRead } = await handle.read(table.file, read);
      if (bytesRead === 0) throw new Error("its file ended early");
      read += bytesRead;
    }
    return table;
  } finally {
    await handle.close();
  }
}
