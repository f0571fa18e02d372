import { BARE, DISCOVERY } from "./places.mjs";
import { startServer } from "./stdio-server.mjs";
import { countDescendants, residentMegabytes } from "./processes.mjs";

/** Starts the gateway with a home folder, waits for the first tools/list answer, then runs `afterwards`. Also returns the resident memory at the end. */
export function startGateway(home, afterwards) {
  return startUntilListed([DISCOVERY, "--config", home.config], home.env, afterwards);
}

/** The same for the bare SDK server with five tools. */
export function startBare(env, afterwards) {
  return startUntilListed([BARE], env, afterwards);
}

async function startUntilListed(command, env, afterwards = async () => ({})) {
  const started = performance.now();
  const server = startServer(command, env);
  try {
    await server.open();
    await server.request("tools/list");
    const listedMs = performance.now() - started;
    const more = await afterwards(server, () => performance.now() - started);
    const children = countDescendants(server.pid);
    return { listedMs, children, megabytes: residentMegabytes(server.pid), ...more };
  } finally {
    await server.close();
  }
}
