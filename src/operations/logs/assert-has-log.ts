import { DiscoveryError } from "../../errors.js";
import type { Stages } from "../../gateway/stages.js";
import { nearestNames } from "../../search/nearest.js";
import { switchedOffEntries } from "../../sources/switched-off.js";

/** Throws if the server is unknown, or if it is not a process on this machine. */
export function assertHasLog(server: string, { configuredServers, config }: Stages): void {
  // The log of a disabled server may still exist.
  if (switchedOffEntries(config.servers).some(({ name }) => name === server)) return;
  const definition = configuredServers.servers.find(({ name }) => name === server);
  if (definition?.connection.kind === "stdio") return;
  if (definition !== undefined) {
    throw new DiscoveryError("INVALID_REQUEST", `${server} has no log, because it is a remote server.`, {
      hint: {
        action: "run-command",
        command: `anygpt mcp doctor ${server}`,
        purpose: "check the connection",
      },
    });
  }
  const [near] = nearestNames(
    server,
    configuredServers.servers.map(({ name }) => name),
  );
  throw new DiscoveryError("SERVER_NOT_FOUND", `No server is named ${JSON.stringify(server)}.`, {
    hint: near === undefined ? { action: "list-servers" } : `Did you mean ${near}?`,
  });
}

/** Why the log of a server is empty. */
export function whyNoLines(server: string, { config }: Stages): string {
  if (switchedOffEntries(config.servers).some(({ name }) => name === server)) {
    return `${server} is disabled and has no log. Enable it with \`anygpt mcp enable ${server}\`.`;
  }
  return config.upstreams.keepLogs
    ? `${server} has written nothing to standard error yet.`
    : "Server logs are disabled. Set upstreams.keepLogs to true to write them.";
}
