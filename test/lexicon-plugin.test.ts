import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { expect, it } from "vitest";
import { compiledLexicon } from "../src/search/lexicon/compiled.js";
import type { CompiledLexicon } from "../src/search/lexicon/phrase-table.js";
import { packageRoot } from "../src/util/package-root.js";

it("bundles the compiled lexicon without its compiler, so that it works without the data files", async () => {
  const root = packageRoot();
  const folder = await mkdtemp(join(tmpdir(), "lexicon-plugin-"));
  try {
    const plugin = (await import(pathToFileURL(join(root, "scripts/lexicon-plugin.mjs")).href)) as {
      compiledLexicon(): Plugin;
    };
    const outfile = join(folder, "lexicon.mjs");
    await build({
      absWorkingDir: root,
      entryPoints: ["src/search/lexicon/compiled.ts"],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      plugins: [plugin.compiledLexicon()],
    });
    const bundle = (await import(pathToFileURL(outfile).href)) as { compiledLexicon(): CompiledLexicon };
    expect(bundle.compiledLexicon()).toEqual(compiledLexicon());
    expect(await readFile(outfile, "utf8")).not.toMatch(/^import /m);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
