import { DiscoveryError } from "../../errors.js";
import type { ProxyEnvironment } from "../../util/net/proxy.js";
import { createAuthFetch } from "./auth-fetch.js";
import type { Credential } from "./credential.js";
import { clientOf } from "./renewal.js";
import type { OAuthSettings } from "../../model/server.js";
import { revokeToken } from "./token-request.js";

/** Revokes the tokens of a sign-in at their issuer. Returns undefined on success, else the reason for the failure. */
export async function revokeCredential(
  server: string,
  credential: Credential,
  { settings, env }: { readonly settings: OAuthSettings; readonly env: ProxyEnvironment },
): Promise<string | undefined> {
  const client = clientOf(credential, settings);
  if (client === undefined) return "the configuration now names another client";
  const { accessToken, refreshToken, resource } = credential;
  const connection = { kind: "http", url: resource, headers: {}, oauth: settings } as const;
  const guarded = createAuthFetch({ server, connection, env });
  try {
    const tokens = [
      ...(refreshToken === undefined ? [] : [{ token: refreshToken, hint: "refresh_token" }]),
      { token: accessToken, hint: "access_token" },
    ];
    for (const { token, hint } of tokens) {
      const why = await revokeToken(credential, { token, hint, client }, guarded.fetch);
      if (why !== undefined) return why;
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    return error.message.replace(/\.$/, "");
  } finally {
    guarded.close();
  }
}
