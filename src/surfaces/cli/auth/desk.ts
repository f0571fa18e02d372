import { DiscoveryError } from "../../../errors.js";
import type { Stages } from "../../../compose.js";
import type { Store } from "../../../store/store.js";
import type { Credential } from "../../../upstreams/oauth/credential.js";
import { addressKey, hasOwnAuthorization, type RemoteConnection } from "../../../upstreams/oauth/settings.js";
import { createVault, credentialKeyFile, type Vault } from "../../../upstreams/oauth/vault.js";
import { createLocalKey } from "../../../util/local-key.js";
import type { Context } from "../context.js";
import { withEngine } from "../session.js";

/** The sign-ins to the servers of the configuration. No server is started. */
export interface AuthDesk {
  readonly stages: Stages;
  readonly credentials: Store["credentials"];
  readonly vault: Vault;
  /** A server that one can sign in to, or why one cannot. */
  remote(server: string): Promise<RemoteConnection>;
  keep(server: string, actor: string, signedIn: SignedIn): Promise<void>;
}

interface SignedIn {
  readonly connection: RemoteConnection;
  readonly credential: Credential;
}

export async function withAuth<T>(context: Context, use: (desk: AuthDesk) => Promise<T>): Promise<T> {
  return await withEngine(context, async (engine) => {
    const stages = await engine.stages();
    const { place, books } = stages;
    const vault = createVault(createLocalKey(credentialKeyFile(place.stateFolder), place.warn));
    const { credentials } = books.store;
    return await use({
      stages,
      credentials,
      vault,
      async remote(server) {
        await assertKnown(server, stages);
        const connection = await stages.target(server).connection();
        if (connection.kind !== "http" && connection.kind !== "sse") throw notRemote(server);
        if (hasOwnAuthorization(connection)) throw hasHeader(server);
        return connection;
      },
      async keep(server, actor, { connection, credential }) {
        const holding = { server, connection: addressKey(connection), actor };
        const sealed = await vault.seal(holding, credential);
        await credentials.save({ ...holding, issuer: credential.issuer, sealed, now: place.now() });
      },
    });
  });
}

/** SERVER_NOT_FOUND with the nearest names. */
export async function assertKnown(server: string, { collected, discovery }: Stages): Promise<void> {
  if (!collected.servers.some(({ name }) => name === server)) await discovery.server(server);
}

function notRemote(server: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `${server} is no remote MCP server: nobody signs in to it.`, {
    hint: "What it needs is given in its `env`, `headers` or `auth` in the configuration.",
    server,
  });
}

function hasHeader(server: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `${server} is given an Authorization header by the configuration.`, {
    hint: "That counts, and no sign-in besides. Remove the header if you want to sign in.",
    server,
  });
}
