import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import type { Stages } from "../../gateway/stages.js";
import type { Store } from "../../store/store.js";
import { hasOwnAuthorization, type RemoteConnection } from "../../upstreams/oauth/settings.js";
import { createVault, credentialKeyFile, type Vault } from "../../upstreams/oauth/vault.js";
import { createLocalKey } from "../../util/local-key.js";

/** The stored sign-ins to the servers of the configuration. No server is started. */
export interface AuthDesk {
  readonly stages: Stages;
  readonly credentials: Store["credentials"];
  readonly vault: Vault;
}

export async function openAuthDesk(engine: DiscoveryEngine): Promise<AuthDesk> {
  const stages = await engine.stages();
  const { runtime, persistence } = stages;
  const vault = createVault(createLocalKey(credentialKeyFile(runtime.stateFolder), runtime.warn));
  return { stages, credentials: persistence.store.credentials, vault };
}

/** The connection of a remote server. Throws INVALID_REQUEST if the server does not support sign-in. */
export async function remoteConnection(server: string, stages: Stages): Promise<RemoteConnection> {
  await assertKnown(server, stages);
  const connection = await stages.resolveConnection(server).connection();
  if (connection.kind !== "http" && connection.kind !== "sse") throw notRemote(server);
  if (hasOwnAuthorization(connection)) throw hasHeader(server);
  return connection;
}

/** Throws SERVER_NOT_FOUND with similar names if the server is not configured. */
export async function assertKnown(server: string, { configuredServers, discovery }: Stages): Promise<void> {
  if (!configuredServers.servers.some(({ name }) => name === server)) await discovery.server(server);
}

function notRemote(server: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `${server} is not a remote MCP server, so it has no sign-in.`, {
    hint: "Set its credentials in `env`, `headers` or `auth` of its entry in the configuration.",
    server,
  });
}

function hasHeader(server: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `The configuration sets an Authorization header for ${server}.`, {
    hint: "The gateway uses this header instead of a sign-in. To sign in, remove the header.",
    server,
  });
}
