import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createCatalogDisk } from "../../src/catalog/disk.js";
import { fingerprintOf, type ServerRecord } from "../../src/catalog/record.js";
import type { Home } from "./gateway.js";

/** Gives every server of the configuration the record that the one server asked before has left on disk. */
export async function writeWarmCatalog(home: Home, servers: Record<string, object>): Promise<void> {
  const folder = join(home.folder, "state", "catalog");
  const [file = ""] = readdirSync(folder);
  const { record } = JSON.parse(readFileSync(join(folder, file), "utf8")) as { record: ServerRecord };
  const disk = createCatalogDisk(folder, () => undefined);
  for (const [server, entry] of Object.entries(servers)) {
    const { command, args } = entry as { command: string; args: string[] };
    const fingerprint = fingerprintOf({ kind: "stdio", command, args, env: {}, cwd: dirname(home.config) });
    await disk.write({ ...record, server, fingerprint, listedAt: Date.now() });
  }
}
