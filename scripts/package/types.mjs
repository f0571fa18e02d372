// Writes the declarations of the library as one file: `tsc` emits one per source file, rollup joins them.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { configTypes } from "./config-types.mjs";

/**
 * Writes `index.d.ts` into `folder`, with the types of the configuration from `configSchema`. Throws where a declaration imports a package: a program that uses the library
 * has none of the bundled packages installed, and an import that cannot be resolved would be `any` there.
 */
export async function bundleTypes(folder, configSchema) {
  const emitted = join(folder, "types");
  const tsc = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--outDir", emitted];
  execFileSync(process.execPath, tsc, { stdio: "inherit" });
  writeFileSync(join(emitted, "config/discovery-config.d.ts"), configTypes(configSchema));
  const bundle = await rollup({
    input: join(emitted, "index.d.ts"),
    external: /^node:/,
    plugins: [dts()],
    onwarn({ message }) {
      throw new Error(`The declarations of the library cannot be joined: ${message}`);
    },
  });
  const { output } = await bundle.write({ file: join(folder, "index.d.ts"), format: "es" });
  await bundle.close();
  const foreign = output.flatMap(({ imports }) => imports).filter((path) => !path.startsWith("node:"));
  if (foreign.length > 0)
    throw new Error(`The declarations of the library import ${foreign.join(", ")}; describe these types in src/.`);
  rmSync(emitted, { recursive: true });
}
