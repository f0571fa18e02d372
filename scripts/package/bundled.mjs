// The npm packages whose code is in the bundle, as esbuild's metafiles record them.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE_FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** Packages with at least one byte in an output file, sorted by name. A package that tree shaking removed is not bundled. */
export function bundledPackages(metafiles) {
  const folders = new Set();
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        const folder = packageFolder(path);
        if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
      }
    }
  }
  const imports = importsBetweenPackages(metafiles);
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const dependsOn = [...(imports.get(folder) ?? [])].filter((other) => folders.has(other)).sort();
    return { id: folder, folder, name, version, license, dependsOn };
  });
}

/** `node_modules/a/node_modules/@b/c/d.js` is in the package at `node_modules/a/node_modules/@b/c`. */
function packageFolder(path) {
  return PACKAGE_FOLDER.exec(path)?.[0];
}

function importsBetweenPackages(metafiles) {
  const imports = new Map();
  for (const { inputs } of metafiles) {
    for (const [path, input] of Object.entries(inputs)) {
      const from = packageFolder(path);
      if (from === undefined) continue;
      if (!imports.has(from)) imports.set(from, new Set());
      for (const { path: imported } of input.imports) {
        const to = packageFolder(imported);
        if (to !== undefined && to !== from) imports.get(from).add(to);
      }
    }
  }
  return imports;
}
