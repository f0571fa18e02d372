import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./places.mjs";

/** The model of this package; the bundle of the internals does not lie where the package looks for it. */
export function openModel({ createTableMemory, openMeaning }) {
  const bytes = readFileSync(join(ROOT, "model/tools.bin"));
  const table = createTableMemory(bytes.length);
  table.file.set(bytes);
  return openMeaning(table);
}
