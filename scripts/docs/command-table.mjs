import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The command table of src/surfaces/cli as data, without the commands themselves, which it loads only when they run. */
export async function readCommandTable() {
  const contents = [
    'export { ANYGPT as root, COMMON_OPTIONS as commonOptions } from "./table.js";',
    'export { TOPICS as topics } from "./topics.js";',
    'export { commandOptions } from "./program.js";',
  ].join("\n");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: `${ROOT}/src/surfaces/cli`, loader: "ts" },
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
    plugins: [withoutCommands()],
    banner: {
      js: `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(${JSON.stringify(import.meta.url)});`,
    },
  });
  return await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

function withoutCommands() {
  return {
    name: "without-commands",
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path }) =>
        kind === "dynamic-import" ? { path, external: true } : undefined,
      );
    },
  };
}
