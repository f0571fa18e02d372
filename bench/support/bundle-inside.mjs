import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { compiledLexicon } from "../../scripts/lexicon-plugin.mjs";
import { ROOT } from "./places.mjs";

const bundles = new Map();

/** Bundles inside the project folder, once per run: the store resolves its driver and its worker thread relative to the code. */
export function bundleInside(entry) {
  const bundle = bundles.get(entry) ?? writeBundle(entry);
  bundles.set(entry, bundle);
  return bundle;
}

async function writeBundle(entry) {
  const outfile = join(ROOT, "node_modules/.anygpt-bench", `${basename(entry, ".ts")}-${process.pid}.mjs`);
  process.on("exit", () => rmSync(outfile, { force: true }));
  await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    external: ["@photostructure/sqlite", "jiti"],
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
