// Compiles the search lexicon and the risk lexicon at build time, so that the program does not have to read and check its files.
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { mkdtempSync, rmSync } from "node:fs";
import { build } from "esbuild";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The modules that compute a lexicon, with the function that each of them exports. */
const MODULES = [
  { filter: /[\\/]search[\\/]lexicon[\\/]compiled\.ts$/, name: "compiledLexicon" },
  { filter: /[\\/]policy[\\/]evidence[\\/]compiled\.ts$/, name: "compiledRiskLexicon" },
];

/** An esbuild plugin that replaces these modules with the values that they compute. */
export function compiledLexicon() {
  return {
    name: "compiled-lexicon",
    setup({ onLoad }) {
      for (const { filter, name } of MODULES) {
        let result;
        onLoad({ filter }, async ({ path }) => {
          result ??= compile(path, name);
          const tables = Object.entries(await result).map((table) =>
            table.map((part) => JSON.stringify(part)).join(":"),
          );
          return { contents: `export function ${name}() { return {${tables.join(",\n")}}; }`, loader: "js" };
        });
      }
    },
  };
}

async function compile(path, name) {
  // The output must be inside the package, because the module finds the package folder from its own location.
  const folder = mkdtempSync(join(ROOT, "node_modules", ".anygpt-lexicon-"));
  try {
    const outfile = join(folder, "compiled.mjs");
    await build({ entryPoints: [path], outfile, bundle: true, platform: "node", format: "esm", logLevel: "warning" });
    const module = await import(pathToFileURL(outfile).href);
    return module[name]();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
