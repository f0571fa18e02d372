// Bundles src/ into dist/: one entry per program, shared chunks between them, dependencies inlined, and the files that
// describe the bundle: declarations, JSON Schemas, licences and a software bill of materials.
// The bins load `main.cjs`, a single CommonJS file: loading ES modules would cost every command 10 ms more.
// `--failpoints --out FOLDER` builds only the code, with the failpoints at which the fault suite kills the gateway. FOLDER must be inside this package.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { compiledLexicon } from "./lexicon-plugin.mjs";
import { bundledPackages } from "./package/bundled.mjs";
import { inlinedPackages } from "./package/inlined.mjs";
import { licenceTexts } from "./package/licences.mjs";
import { createSbom } from "./package/sbom.mjs";
import { bundleTypes } from "./package/types.mjs";

const { failpoints, out: target } = parseArgs({
  options: { failpoints: { type: "boolean", default: false }, out: { type: "string", default: "dist" } },
}).values;
if (failpoints && target === "dist")
  throw new Error("A build with failpoints needs a separate output folder: --out FOLDER.");

// A failed build leaves the previous build in place.
const out = `dist-${process.pid}`;
process.on("exit", () => rmSync(out, { recursive: true, force: true }));

const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  define: { __FAILPOINTS__: String(failpoints) },
  metafile: true,
  // Node reads the maps only with --enable-source-maps. The sources themselves would triple their size.
  sourcemap: failpoints ? false : "linked",
  sourcesContent: false,
  logLevel: "warning",
};

/** Modules that `main.cjs` loads only when a command needs them. */
const LOADED_LATE = { "./surfaces/cli/run.js": "./cli.js", "./start.js": "./daemon-start.js" };

const bins = await build({
  ...common,
  entryPoints: ["src/main.ts"],
  outfile: `${out}/main.cjs`,
  format: "cjs",
  define: { ...common.define, "import.meta.url": "__mainUrl" },
  banner: { js: 'const __mainUrl = require("node:url").pathToFileURL(__filename).href;' },
  plugins: [external(LOADED_LATE)],
});

const modules = await build({
  ...common,
  entryPoints: {
    cli: "src/surfaces/cli/run.ts",
    "daemon-start": "src/daemon/start.ts",
    index: "src/index.ts",
    "validation-worker": "src/executor/validation-worker.ts",
    reaper: "src/upstreams/process/reaper.ts",
    "store-worker": "src/store/sqlite/store-worker.ts",
    "document-worker": "src/adapters/document-worker.ts",
  },
  outdir: out,
  splitting: true,
  format: "esm",
  chunkNames: "chunks/[name]-[hash]",
  external: ["jiti", "@photostructure/sqlite"],
  alias: {
    // Its "main" is a UMD wrapper whose requires a bundler cannot follow.
    "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js",
    // The SDK's default validators would load 300 kB of ajv at every start. The replacements generate no code.
    "@modelcontextprotocol/server/_shims": "./scripts/sdk-server-shims.mjs",
    "@modelcontextprotocol/client/_shims": "./scripts/sdk-client-shims.mjs",
  },
  plugins: [oneLocale(), compiledLexicon()],
  // Bundled CommonJS dependencies call require() for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});

if (!failpoints) {
  const bundled = bundledPackages([bins.metafile, modules.metafile]);
  const packages = [...bundled, ...inlinedPackages(out, bundled)];
  writeFileSync(`${out}/THIRD_PARTY_LICENSES.txt`, licenceTexts(packages));
  writeJson("sbom.cdx.json", createSbom(readJson("package.json"), packages, readJson("package-lock.json")));
  const { configJsonSchema, toolFileJsonSchema } = await import(`../${out}/index.js`);
  await bundleTypes(out, configJsonSchema());
  writeJson("config.schema.json", configJsonSchema());
  writeJson("tool-file.schema.json", toolFileJsonSchema());
}

rmSync(target, { recursive: true, force: true });
renameSync(out, target);

/** Keeps these imports external and replaces their paths with the names of the built files. */
function external(paths) {
  return {
    name: "external",
    setup({ onResolve }) {
      onResolve({ filter: /^\.\// }, ({ path, kind }) =>
        kind === "dynamic-import" && path in paths ? { path: paths[path], external: true } : undefined,
      );
    },
  };
}

/** zod's messages in forty languages are a fifth of all code, and the gateway has no option to select a language. */
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

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

function writeJson(name, value) {
  writeFileSync(`${out}/${name}`, `${JSON.stringify(value, null, 2)}\n`);
}
