import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ROOT } from "./places.mjs";

/** Loads the function of the tests that measures which schema information tool details lose. It is written in TypeScript. */
export async function loadCompareDetails(folder) {
  const outfile = join(folder, "lossless.mjs");
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["test/support/lost-constraints.ts"],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
  });
  const { compareDetails } = await import(pathToFileURL(outfile).href);
  return compareDetails;
}
