// Bundles src/ into dist/: one entry per program, shared chunks between them, dependencies inlined, types beside it.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });

const result = await build({
  entryPoints: {
    main: "src/main.ts",
    index: "src/index.ts",
    "validation-worker": "src/executor/validation-worker.ts",
    reaper: "src/upstreams/process/reaper.ts",
  },
  outdir: "dist",
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node20",
  format: "esm",
  chunkNames: "chunks/[name]-[hash]",
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: true,
  external: ["jiti"],
  metafile: true,
  // Bundled CommonJS dependencies call require() for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  logLevel: "warning",
});

writeFileSync("dist/THIRD_PARTY_LICENSES.txt", licences(Object.keys(result.metafile.inputs)));
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });

const { configJsonSchema } = await import("../dist/index.js");
writeFileSync("dist/config.schema.json", `${JSON.stringify(configJsonSchema(), null, 2)}\n`);

function licences(inputs) {
  const packages = new Set();
  for (const input of inputs) {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) packages.add(match[1]);
  }
  const parts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8").trim() : "";
    return `${name} ${version} (${license})\n\n${text}`;
  });
  return `${parts.join(`\n\n${"-".repeat(72)}\n\n`)}\n`;
}
