// Bundles src/ into dist/: one entry per program, shared chunks between them, dependencies inlined, types beside it.
// `--failpoints --out FOLDER` makes the version that the fault suite kills at named places, code alone; it must lie in this folder.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const { failpoints, out: target } = parseArgs({
  options: { failpoints: { type: "boolean", default: false }, out: { type: "string", default: "dist" } },
}).values;
if (failpoints && target === "dist")
  throw new Error("A build with failpoints needs a folder of its own: --out FOLDER.");

// A build that fails leaves the last good one in place.
const out = `dist-${process.pid}`;
process.on("exit", () => rmSync(out, { recursive: true, force: true }));

const result = await build({
  entryPoints: {
    main: "src/main.ts",
    index: "src/index.ts",
    "validation-worker": "src/executor/validation-worker.ts",
    reaper: "src/upstreams/process/reaper.ts",
    "store-worker": "src/store/sqlite/store-worker.ts",
    "document-worker": "src/adapters/document-worker.ts",
  },
  outdir: out,
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node20",
  format: "esm",
  chunkNames: "chunks/[name]-[hash]",
  minifySyntax: true,
  minifyWhitespace: true,
  external: ["jiti", "@photostructure/sqlite"],
  alias: {
    // Its "main" is a UMD wrapper whose requires a bundler cannot follow.
    "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js",
    // The SDK's default validators bring 300 kB of ajv to every start; ours are never asked to compile code.
    "@modelcontextprotocol/server/_shims": "./scripts/sdk-server-shims.mjs",
    "@modelcontextprotocol/client/_shims": "./scripts/sdk-client-shims.mjs",
  },
  define: { __FAILPOINTS__: String(failpoints) },
  plugins: [oneLocale()],
  metafile: true,
  // Bundled CommonJS dependencies call require() for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  logLevel: "warning",
});

if (!failpoints) {
  writeFileSync(`${out}/THIRD_PARTY_LICENSES.txt`, licences(Object.keys(result.metafile.inputs)));
  execFileSync(
    process.execPath,
    ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--outDir", `${out}/types`],
    {
      stdio: "inherit",
    },
  );

  const { configJsonSchema, toolFileJsonSchema } = await import(`../${out}/index.js`);
  writeFileSync(`${out}/config.schema.json`, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  writeFileSync(`${out}/tool-file.schema.json`, `${JSON.stringify(toolFileJsonSchema(), null, 2)}\n`);
}

rmSync(target, { recursive: true, force: true });
renameSync(out, target);

/** zod's messages in forty languages are a fifth of all code, and nobody can choose one. */
function oneLocale() {
  return {
    name: "one-locale",
    setup({ onLoad }) {
      onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
        contents: 'export { default as en } from "./en.js";',
        resolveDir: dirname(path),
      }));
    },
  };
}

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
