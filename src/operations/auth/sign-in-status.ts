import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import type { ServerDefinition } from "../../model/server.js";
import type { StoredCredential } from "../../store/credentials.js";
import { expiresSoon } from "../../upstreams/oauth/credential.js";
import { addressKey, hasOwnAuthorization } from "../../upstreams/oauth/settings.js";
import { assertKnown, type AuthDesk, openAuthDesk } from "./desk.js";

export type SignInState = "signed_in" | "expired" | "refused" | "unreadable" | "none" | "header" | "unusable";

/** The sign-in of one actor to one remote server. */
export interface SignInStatus {
  readonly server: string;
  readonly state: SignInState;
  readonly actor?: string;
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  readonly expires_at?: string;
  readonly renews?: boolean;
  readonly reason?: string;
}

/** The sign-ins to the remote servers, or to one of them. Sends nothing to the servers. */
export async function listSignIns(engine: DiscoveryEngine, only?: string): Promise<SignInStatus[]> {
  const desk = await openAuthDesk(engine);
  if (only !== undefined) await assertKnown(only, desk.stages);
  const remote = desk.stages.configuredServers.servers.filter(
    ({ name, connection }) =>
      (connection.kind === "http" || connection.kind === "sse") && (only === undefined || name === only),
  );
  return (await Promise.all(remote.map((server) => statusesOf(server, desk)))).flat();
}

/** One status for each actor with a stored credential. */
async function statusesOf({ name: server }: ServerDefinition, desk: AuthDesk): Promise<SignInStatus[]> {
  try {
    const connection = desk.stages.resolveConnection(server).withoutSecrets();
    if (connection.kind !== "http" && connection.kind !== "sse") return [];
    if (hasOwnAuthorization(connection)) return [{ server, state: "header" }];
    const address = addressKey(connection);
    const stored = (await desk.credentials.list(server)).filter((each) => each.connection === address);
    if (stored.length === 0) return [{ server, state: "none" }];
    return await Promise.all(stored.map((each) => toStatus(each, desk)));
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    return [{ server, state: "unusable", reason: error.message }];
  }
}

async function toStatus(stored: StoredCredential, { vault, stages }: AuthDesk): Promise<SignInStatus> {
  const { server, actor, issuer } = stored;
  const opened = await vault.open(stored);
  if (opened === undefined) return { server, actor, issuer, state: "unreadable" };
  const { scope, expiresAt, refreshToken } = opened.credential;
  const isExpired = refreshToken === undefined && expiresSoon(opened.credential, stages.runtime.now(), stored.savedAt);
  return {
    server,
    actor,
    state: stored.isRefused ? "refused" : isExpired ? "expired" : "signed_in",
    issuer,
    scopes: scope?.split(" ") ?? [],
    ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }),
    renews: refreshToken !== undefined && !stored.isRefused,
  };
}
