import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { expect, it } from "vitest";
import { compiledRiskLexicon } from "../src/policy/evidence/compiled.js";
import { compiledLexicon } from "../src/search/lexicon/compiled.js";
import { packageRoot } from "../src/util/package-root.js";

it.each([
  ["src/search/lexicon/compiled.ts", "compiledLexicon", compiledLexicon],
  ["src/policy/evidence/compiled.ts", "compiledRiskLexicon", compiledRiskLexicon],
])("bundles %s without its compiler, so that it works without the data files", async (entry, name, compile) => {
  const root = packageRoot();
  const folder = await mkdtemp(join(tmpdir(), "lexicon-plugin-"));
  try {
    const plugin = (await import(pathToFileURL(join(root, "scripts/lexicon-plugin.mjs")).href)) as {
      compiledLexicon(): Plugin;
    };
    const outfile = join(folder, "lexicon.mjs");
    await build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      plugins: [plugin.compiledLexicon()],
    });
    const bundle = (await import(pathToFileURL(outfile).href)) as Record<string, () => unknown>;
    expect(bundle[name]?.()).toEqual(compile());
    expect(await readFile(outfile, "utf8")).not.toMatch(/^import /m);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
