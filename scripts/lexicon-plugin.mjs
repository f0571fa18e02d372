// Compiles the lexicon at build time, so that the program does not have to read and check its files.
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { mkdtempSync, rmSync } from "node:fs";
import { build } from "esbuild";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

/** An esbuild plugin that replaces `src/search/lexicon/compiled.ts` with the value that the module computes. */
export function compiledLexicon() {
  return {
    name: "compiled-lexicon",
    setup({ onLoad }) {
      let result;
      onLoad({ filter: /[\\/]search[\\/]lexicon[\\/]compiled\.ts$/ }, async ({ path }) => {
        result ??= compile(path);
        const tables = Object.entries(await result).map((table) => table.map((text) => JSON.stringify(text)).join(":"));
        return { contents: `export function compiledLexicon() { return {${tables.join(",\n")}}; }`, loader: "js" };
      });
    },
  };
}

async function compile(path) {
  // The output must be inside the package, because the module finds the package folder from its own location.
  const folder = mkdtempSync(join(ROOT, "node_modules", ".anygpt-lexicon-"));
  try {
    const outfile = join(folder, "compiled.mjs");
    await build({ entryPoints: [path], outfile, bundle: true, platform: "node", format: "esm", logLevel: "warning" });
    const module = await import(pathToFileURL(outfile).href);
    return module.compiledLexicon();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
