import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createMeaning, type Meaning } from "./search/meaning/meaning.js";
import { readModel } from "./search/meaning/model.js";

// Code run from `src/` is one folder below the package's root, a bundled chunk two.
const PLACES = ["../model/tools.bin", "../../model/tools.bin"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

let loaded: Promise<Meaning | undefined> | undefined;

/** The retrieval model of this package, read when a search first needs it. Without it search goes by words alone, and says so once. */
export function loadOwnModel(log: (message: string) => void): Promise<Meaning | undefined> {
  loaded ??= readFirst(PLACES).then(
    (bytes) => createMeaning(readModel(bytes)),
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : "unknown";
      log(`Search goes by words alone: the model of this package could not be used (${reason}). Install it again.`);
      return undefined;
    },
  );
  return loaded;
}

async function readFirst([place = "", ...others]: readonly string[]): Promise<Uint8Array> {
  try {
    return await readFile(place);
  } catch (error) {
    if (others.length === 0) throw error;
    return await readFirst(others);
  }
}
