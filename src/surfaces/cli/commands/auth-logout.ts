import { DiscoveryError } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import type { StoredCredential } from "../../../store/credentials.js";
import { revokeCredential } from "../../../upstreams/oauth/logout.js";
import type { OAuthSettings } from "../../../model/server.js";
import { type AuthDesk, assertKnown, withAuth } from "../auth/desk.js";
import type { Handler } from "../command.js";
import { bold, GOOD, line, WARNING } from "../lines.js";

export const authLogout: Handler = (input, context) =>
  withAuth(context, async (desk) => {
    const server = input.argument("server");
    const actor = input.text("actor") ?? localActor("cli").id;
    // Also what was signed in to at an address that the server had before, or a server that is gone by now.
    const stored = (await desk.credentials.list(server)).filter((each) => each.actor === actor);
    if (stored.length === 0) await assertKnown(server, desk.stages);
    const settings = await settingsOf(server, desk);
    const reasons: string[] = [];
    for (const each of stored) {
      const why = await context.wait(revoke(each, settings, desk), () => `Signing out of ${server}…`);
      if (why !== undefined) reasons.push(why);
      await remove(each, desk);
    }
    const isRevoked = stored.length > 0 && reasons.length === 0;
    const [reason] = reasons;
    if (context.isJson)
      context.json({ server, actor, removed: stored.length, revoked: isRevoked, ...(reason && { reason }) });
    else if (stored.length === 0) context.show([line(0, `Nobody is signed in to ${server}.`)]);
    else context.show([line(0, GOOD, " Signed out of ", bold(server), ".")]);
    if (reason !== undefined && !context.isJson) {
      context.note([line(0, WARNING, ` At the authorization server it could not be taken back: ${reason}.`)]);
    }
    return 0;
  });

async function settingsOf(server: string, { stages }: AuthDesk): Promise<OAuthSettings> {
  try {
    const connection: object = await stages.target(server).connection();
    return ("oauth" in connection ? (connection.oauth as OAuthSettings | undefined) : undefined) ?? {};
  } catch (error) {
    if (error instanceof DiscoveryError) return {};
    throw error;
  }
}

async function revoke(stored: StoredCredential, settings: OAuthSettings, desk: AuthDesk): Promise<string | undefined> {
  const opened = await desk.vault.open(stored);
  if (opened === undefined) return "it cannot be read with the key of this machine";
  return await revokeCredential(stored.server, opened.credential, { settings, env: desk.stages.place.env });
}

async function remove({ server, connection, actor, issuer }: StoredCredential, desk: AuthDesk): Promise<void> {
  const by = localActor("cli").id;
  await desk.stages.books.note({
    action: "sign_out",
    subject: `${server} at ${issuer} for ${actor}`,
    by,
    surface: "cli",
  });
  await desk.credentials.remove({ server, connection, actor });
}
