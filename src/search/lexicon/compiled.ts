import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../util/package-root.js";
import { readRegularTextSync } from "../../util/regular-file.js";
import { compileLexicon } from "./compile.js";
import type { CompiledLexicon } from "./phrase-table.js";

/**
 * Compiles the files of `lexicon/`. The build replaces this module with the compiled lexicon
 * (`scripts/lexicon-plugin.mjs`).
 */
export function compiledLexicon(): CompiledLexicon {
  const folder = join(packageRoot(), "lexicon");
  const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));
  return compileLexicon(names.sort().map((name) => ({ name, text: readRegularTextSync(join(folder, name)) })));
}
