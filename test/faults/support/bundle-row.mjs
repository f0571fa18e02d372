// Bundles a row as a program that runs without the test runner.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/** Returns the URL of the bundle; `outfile` is inside the package, so that its dependencies resolve. */
export async function bundleRow(file, { root, outfile }) {
  await build({
    absWorkingDir: root,
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    external: ["jiti", "@photostructure/sqlite"],
    plugins: [ownAddresses()],
    alias: { "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js" },
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  return pathToFileURL(outfile).href;
}

/** Files next to a source are looked up next to the source and not next to the bundle. */
function ownAddresses() {
  return {
    name: "own-addresses",
    setup({ onLoad }) {
      onLoad({ filter: /\/(?:src|test)\/.*\.ts$/ }, ({ path }) => ({
        contents: readFileSync(path, "utf8").replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)),
        loader: "ts",
      }));
    },
  };
}
