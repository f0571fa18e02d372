import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const MANIFEST = JSON.stringify({ name: "@modelcontextprotocol/inspector", version: "1.0.3", type: "module" });

/**
 * The official inspector's command line, in this folder. It looks for its manifest in one of two places, depending on what
 * lies above the folder that it is started in; published alone it finds none, so there is one in each.
 */
export function inspectorIn(folder: string): string {
  const cli = join(folder, "inspector/cli");
  cpSync(join(MODULES, "@modelcontextprotocol/inspector-cli/build"), join(cli, "build"), { recursive: true });
  for (const place of [cli, join(folder, "inspector")]) writeFileSync(join(place, "package.json"), MANIFEST);
  symlinkSync(MODULES, join(folder, "node_modules"));
  return join(cli, "build/cli.js");
}
