import { dirname, join } from "node:path";
import { createCatalogDisk } from "../../src/catalog/disk.js";
import { connectionFingerprint } from "../../src/catalog/record.js";
import { createStore, storeFile } from "../../src/store/create-store.js";
import { type Home, testServer } from "./gateway.js";

/** The server that has been listed before. */
const ASKED = { only: testServer("echo.mjs") };

/** Gives every server of the configuration the stored list of this one server. */
export async function writeWarmCatalog(home: Home, servers: Record<string, object>): Promise<void> {
  const store = createStore({ file: storeFile(join(home.folder, "state")), inline: true });
  const disk = createCatalogDisk(store.catalog, (message) => {
    throw new Error(message);
  });
  const fingerprint = (entry: object): string => {
    const { command, args } = entry as { command: string; args: string[] };
    return connectionFingerprint({ kind: "stdio", command, args, env: {}, cwd: dirname(home.config) });
  };
  const record = await disk.read("only", fingerprint(ASKED.only));
  if (record === undefined) throw new Error("No server has been listed yet.");
  for (const [server, entry] of Object.entries(servers)) {
    await disk.write({ ...record, server, fingerprint: fingerprint(entry), listedAt: Date.now() });
  }
  await store.close();
}
