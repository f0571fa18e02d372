import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ROOT } from "./places.mjs";

/** Bundles the modules that the package keeps to itself, once a run, and gives the bundle's address. */
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
    // Its "main" is a UMD wrapper whose requires a bundler cannot follow.
    alias: { "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js" },
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  return pathToFileURL(outfile).href;
}
