import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import { localActor } from "../../model/actor.js";
import type { OAuthSettings } from "../../model/server.js";
import type { StoredCredential } from "../../store/credentials.js";
import { revokeCredential } from "../../upstreams/oauth/logout.js";
import { assertKnown, type AuthDesk, openAuthDesk } from "./desk.js";

export interface SignOutReport {
  readonly server: string;
  readonly actor: string;
  /** The number of credentials that were removed. */
  readonly removed: number;
  /** True if the authorization server revoked all removed credentials. */
  readonly revoked: boolean;
  /** Why the authorization server did not revoke a credential. */
  readonly reason?: string;
}

/** Revokes an actor's credentials, if the authorization server supports that, and removes them from this machine. */
export async function signOut(
  engine: DiscoveryEngine,
  server: string,
  actor = localActor("cli").id,
): Promise<SignOutReport> {
  const desk = await openAuthDesk(engine);
  // Includes credentials for an earlier URL of the server, and for a server that is no longer configured.
  const stored = (await desk.credentials.list(server)).filter((each) => each.actor === actor);
  if (stored.length === 0) await assertKnown(server, desk.stages);
  const settings = await settingsOf(server, desk);
  const reasons: string[] = [];
  for (const each of stored) {
    const why = await revoke(each, settings, desk);
    if (why !== undefined) reasons.push(why);
    await remove(each, desk);
  }
  const [reason] = reasons;
  const revoked = stored.length > 0 && reasons.length === 0;
  return { server, actor, removed: stored.length, revoked, ...(reason === undefined ? {} : { reason }) };
}

async function settingsOf(server: string, { stages }: AuthDesk): Promise<OAuthSettings> {
  try {
    const connection: object = await stages.resolveConnection(server).connection();
    return ("oauth" in connection ? (connection.oauth as OAuthSettings | undefined) : undefined) ?? {};
  } catch (error) {
    if (error instanceof DiscoveryError) return {};
    throw error;
  }
}

async function revoke(stored: StoredCredential, settings: OAuthSettings, desk: AuthDesk): Promise<string | undefined> {
  const opened = await desk.vault.open(stored);
  if (opened === undefined) return "the credential cannot be decrypted with the key of this machine";
  return await revokeCredential(stored.server, opened.credential, { settings, env: desk.stages.runtime.env });
}

async function remove({ server, connection, actor, issuer }: StoredCredential, desk: AuthDesk): Promise<void> {
  const by = localActor("cli").id;
  await desk.stages.persistence.note({
    action: "sign_out",
    subject: `${server} at ${issuer} for ${actor}`,
    by,
    surface: "cli",
  });
  await desk.credentials.remove({ server, connection, actor });
}
