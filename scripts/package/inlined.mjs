// Packages that a bundled package contains inside its own published files. No package.json or metafile names them; only the
// source maps of the bundle do.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Licences by `NAME@VERSION`, looked up in the published package. The texts are in scripts/package/licences/. */
const LICENSES = { "@cfworker/json-schema@4.1.1": "MIT", "content-type@1.0.5": "MIT" };

/** Never published: parts of the repository of the client and the server, under the same licence. */
const PARTS_OF_OTHERS = ["@modelcontextprotocol/core-internal"];

const PNPM_PACKAGE = /\/\.pnpm\/((?:@[^/@]+\+)?[^/@]+@[^/_(]+)[^/]*\/node_modules\//;
const LAST_PACKAGE = /.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** Throws an error that names every package whose licence is not in the table. */
export function inlinedPackages(bundleFolder, packages, licenses = LICENSES) {
  const accounted = new Set([...packages.map(({ name }) => name), ...PARTS_OF_OTHERS]);
  const found = new Set();
  for (const source of sourcesOfMaps(bundleFolder)) {
    const inPnpmStore = PNPM_PACKAGE.exec(source)?.[1].replace("+", "/");
    const name = LAST_PACKAGE.exec(source)?.[1];
    if (inPnpmStore !== undefined) found.add(inPnpmStore);
    else if (name !== undefined && !accounted.has(name)) found.add(name);
  }
  const unknown = [...found].filter((id) => !(id in licenses));
  if (unknown.length > 0)
    throw new Error(
      `Bundled packages contain code of packages without a known licence: ${unknown.join(", ")}. ` +
        "Add each to the table in scripts/package/inlined.mjs and its text to scripts/package/licences/.",
    );
  return [...found].sort().map((id) => {
    const at = id.lastIndexOf("@");
    return { id, name: id.slice(0, at), version: id.slice(at + 1), license: licenses[id], dependsOn: [] };
  });
}

function sourcesOfMaps(folder) {
  const maps = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".map"));
  if (maps.length === 0) throw new Error(`No source maps in ${folder}: inlined packages cannot be found without them.`);
  return maps.flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).sources);
}
