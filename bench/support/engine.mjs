import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { LIBRARY } from "./places.mjs";

/** The library on a home of this run. Servers are told apart by their folder too: it must be the home's, as for the bins. */
export async function openEngine({ config, state, env }) {
  const { DiscoveryEngine } = await import(LIBRARY);
  const options = { env, stateFolder: state, cwd: dirname(config) };
  return new DiscoveryEngine(JSON.parse(readFileSync(config, "utf8")), options);
}

/** Throws if a server of a warm home is not known: the figures would be those of another catalog. */
export async function checkKnown(engine) {
  const servers = await engine.listServers();
  const unknown = servers.filter(({ known }) => !known);
  if (unknown.length > 0) throw new Error(`${unknown.length} of ${servers.length} servers are not known.`);
  return servers;
}
