import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundleInside } from "./bundle-inside.mjs";
import { ECHO } from "./places.mjs";

/** A server that no row may start. If one does, it works, and the start is counted. */
const SERVER = { command: process.execPath, args: [ECHO] };

/**
 * A new home folder that contains only a configuration.
 * @param {string} folder the parent folder; the run removes it
 */
export function createHome(folder, config) {
  const home = mkdtempSync(join(folder, "home-"));
  const state = join(home, "state");
  const file = join(home, "config.json");
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(file, JSON.stringify(config));
  return { state, config: file, env: { PATH: process.env.PATH, HOME: home, ANYGPT_HOME: state, ANYGPT_DAEMON: "0" } };
}

/** A warm home folder: the store contains current tools of all servers. */
export async function createWarmHome({ folder, internals }, servers, extra = {}) {
  const config = { servers: Object.fromEntries([...servers.keys()].map((name) => [name, SERVER])), ...extra };
  const home = createHome(folder, config);
  const { createCatalogDisk, connectionFingerprint, toRecord } = internals;
  const { createStore, storeFile } = await import(await bundleInside("src/store/create-store.ts"));
  const store = createStore({ file: storeFile(home.state), inline: true });
  const disk = createCatalogDisk(store.catalog, (message) => {
    throw new Error(message);
  });
  const fingerprint = connectionFingerprint({ kind: "stdio", ...SERVER, env: {}, cwd: dirname(home.config) });
  for (const [server, tools] of servers) {
    const listing = { tools, dropped: [], truncated: false, era: "legacy" };
    await disk.write(toRecord(listing, { server, fingerprint, previous: undefined, now: Date.now() }));
  }
  await store.close();
  return home;
}
