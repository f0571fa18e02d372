import { BARE, DISCOVERY } from "./places.mjs";
import { startServer } from "./stdio-server.mjs";
import { countDescendants, residentMegabytes } from "./processes.mjs";

/** Starts the gateway on a home until its first tools/list answer, then lets `afterwards` ask; gives its resident memory at the end. */
export function startGateway(home, afterwards) {
  return startUntilListed([DISCOVERY, "--config", home.config], home.env, afterwards);
}

/** The same for the server that has five tools and does nothing else. */
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
