import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./places.mjs";

/** Opens the bundled model by its path, because the bundle of internal modules is not in the folder where the package looks for it. */
export function openModel({ createTableMemory, openMeaning }) {
  const bytes = readFileSync(join(ROOT, "model/tools.bin"));
  const table = createTableMemory(bytes.length);
  table.file.set(bytes);
  return openMeaning(table);
}
