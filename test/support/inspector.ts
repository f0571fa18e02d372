import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const MANIFEST = JSON.stringify({ name: "@modelcontextprotocol/inspector", version: "1.0.3", type: "module" });

/**
 * The command line of the official MCP Inspector, in this folder. It looks for its manifest in one of two places, depending on
 * its parent folders; the published package has none, so the test writes both.
 */
export function inspectorIn(folder: string): string {
  const cli = join(folder, "inspector/cli");
  cpSync(join(MODULES, "@modelcontextprotocol/inspector-cli/build"), join(cli, "build"), { recursive: true });
  for (const place of [cli, join(folder, "inspector")]) writeFileSync(join(place, "package.json"), MANIFEST);
  symlinkSync(MODULES, join(folder, "node_modules"));
  return join(cli, "build/cli.js");
}
