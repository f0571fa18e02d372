import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundleInside } from "./bundle-inside.mjs";
import { ECHO } from "./places.mjs";

/** The child that no row may start; if one did, it would work and be counted. */
const SERVER = { command: process.execPath, args: [ECHO] };

/**
 * An empty home with a configuration in it.
 * @param {string} folder where homes are made; the run removes it
 */
export function createHome(folder, config) {
  const home = mkdtempSync(join(folder, "home-"));
  const state = join(home, "state");
  const file = join(home, "config.json");
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(file, JSON.stringify(config));
  return { state, config: file, env: { PATH: process.env.PATH, HOME: home, ANYGPT_HOME: state, ANYGPT_DAEMON: "0" } };
}

/** A home whose servers have all been asked before: their tools are in the store and fresh. */
export async function createWarmHome({ folder, internals }, servers, extra = {}) {
  const config = { servers: Object.fromEntries([...servers.keys()].map((name) => [name, SERVER])), ...extra };
  const home = createHome(folder, config);
  const { createCatalogDisk, fingerprintOf, toRecord } = internals;
  const { createStore, storeFile } = await import(await bundleInside("src/store/create-store.ts"));
  const store = createStore({ file: storeFile(home.state), inline: true });
  const disk = createCatalogDisk(store.catalog, (message) => {
    throw new Error(message);
  });
  const fingerprint = fingerprintOf({ kind: "stdio", ...SERVER, env: {}, cwd: dirname(home.config) });
  for (const [server, tools] of servers) {
    const listing = { tools, dropped: [], truncated: false, era: "legacy" };
    await disk.write(toRecord(listing, { server, fingerprint, previous: undefined, now: Date.now() }));
  }
  await store.close();
  return home;
}
