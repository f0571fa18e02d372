import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { LIBRARY } from "./places.mjs";

/** Opens the library with a home folder of this run. The working folder is part of a server's identity, so it must be the same as for the programs. */
export async function openEngine({ config, state, env }) {
  const { DiscoveryEngine } = await import(LIBRARY);
  const options = { env, stateFolder: state, cwd: dirname(config) };
  return new DiscoveryEngine(JSON.parse(readFileSync(config, "utf8")), options);
}

/** Throws if a server of a warm home is unknown, because the figures would describe a different catalog. */
export async function checkKnown(engine) {
  const servers = await engine.listServers();
  const unknown = servers.filter(({ known }) => !known);
  if (unknown.length > 0) throw new Error(`${unknown.length} of ${servers.length} servers are not known.`);
  return servers;
}
