import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../util/package-root.js";
import { readRegularTextSync } from "../../util/regular-file.js";
import { compileRiskLexicon, type CompiledRiskLexicon } from "./lexicon.js";

/**
 * Compiles the files of `lexicon/risk/`. The build replaces this module with the compiled lexicon
 * (`scripts/lexicon-plugin.mjs`).
 */
export function compiledRiskLexicon(): CompiledRiskLexicon {
  const folder = join(packageRoot(), "lexicon/risk");
  const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));
  return compileRiskLexicon(names.sort().map((name) => ({ name, text: readRegularTextSync(join(folder, name)) })));
}
