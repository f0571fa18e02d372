import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { compiledLexicon } from "../../scripts/lexicon-plugin.mjs";
import { ROOT } from "./places.mjs";

/** Bundles internal modules that the package does not export, once per run, and returns the URL of the bundle. */
export async function bundleInternals(folder) {
  const outfile = join(folder, "internals.mjs");
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["bench/internals.ts"],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    plugins: [compiledLexicon()],
    // The main file of jsonc-parser is a UMD wrapper, whose `require` calls a bundler cannot follow.
    alias: { "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js" },
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  return pathToFileURL(outfile).href;
}
