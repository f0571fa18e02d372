// Renews a credential once across processes: the process that obtains the claim sends the refresh request; the others
// wait for its result.
import { randomUUID } from "node:crypto";
import { DiscoveryError } from "../../errors.js";
import type { AuthFetch } from "./auth-fetch.js";
import { type Credential, expiresSoon, type OAuthClient } from "./credential.js";
import { notRenewed } from "./failures.js";
import type { OAuthSettings } from "../../model/server.js";
import { requestTokens, type TokenAnswer, type Tokens } from "./token-request.js";
import type { CredentialStore, Holding, OpenCredential, SealedCredential, Vault } from "./vault.js";

/**
 * Lifetime of a claim: much longer than a request to the issuer may take, so that only the claim of a stalled process
 * expires.
 */
const CLAIM_TTL_MS = 60_000;
const POLL_MS = 40;
const MAX_WAIT_MS = 30_000;

export interface RenewalParts {
  readonly holding: Holding;
  readonly store: () => CredentialStore;
  readonly vault: Vault;
  readonly settings: OAuthSettings;
  readonly openFetch: () => AuthFetch;
  readonly now: () => number;
  readonly pause: (delayMs: number) => Promise<void>;
}

/**
 * Returns a credential whose access token differs from `refused` and does not expire soon, or undefined if the user
 * must sign in again. Rejects on a temporary failure; the stored credential then remains valid.
 */
export async function renew(
  known: OpenCredential,
  refused: string | undefined,
  parts: RenewalParts,
): Promise<OpenCredential | undefined> {
  const { holding, store, now, pause } = parts;
  const holder = randomUUID();
  const deadline = now() + MAX_WAIT_MS;
  let current: OpenCredential | undefined = known;
  while (current !== undefined) {
    const { version } = current;
    const claim = await store().claim(holding, { version, holder, now: now(), ttlMs: CLAIM_TTL_MS });
    // Uses `isRefused` from the claim: if the issuer has rejected a refresh meanwhile, the version of the credential is
    // the same, but `current.isRefused` is outdated.
    if (claim.kind === "claimed") {
      return await renewClaimed({ ...current, isRefused: claim.credential.isRefused }, holder, parts);
    }
    if (claim.kind === "changed") {
      current = await decrypt(claim.credential, parts);
      if (current !== undefined && isUsable(current, refused, now())) return current;
      continue;
    }
    if (now() > deadline) throw notRenewed(holding.server, "another process has been renewing it for more than 30 s");
    await pause(POLL_MS);
  }
  return undefined;
}

export function isUsable({ credential, savedAt }: OpenCredential, refused: string | undefined, now: number): boolean {
  return credential.accessToken !== refused && !expiresSoon(credential, now, savedAt);
}

async function renewClaimed(
  current: OpenCredential,
  holder: string,
  parts: RenewalParts,
): Promise<OpenCredential | undefined> {
  const { holding, store, vault, now } = parts;
  const claimId = { version: current.version, holder };
  const { credential } = current;
  const grant = current.isRefused ? undefined : grantOf(credential, parts.settings);
  if (grant === undefined) {
    await store().release(holding, claimId);
    return undefined;
  }
  const answer = await requestRenewal(grant, parts).catch(async (error: unknown) => {
    await store().release(holding, claimId);
    throw notRenewed(holding.server, reasonOf(error), error);
  });
  if (answer.kind === "failed") {
    await store().release(holding, claimId);
    throw notRenewed(holding.server, `its authorization server answered with ${answer.reason}`);
  }
  if (answer.kind === "refused") {
    // The issuer accepts a refresh token only once. If the claim of this process had expired, another process may have
    // used the token and stored a newer credential.
    const isLast = await store().refuse(holding, claimId);
    return isLast ? undefined : await decrypt(await store().find(holding), parts);
  }
  const renewed = withTokens(credential, answer.tokens, now());
  const sealed = await vault.seal(holding, renewed);
  const draft = { ...holding, issuer: renewed.issuer, sealed, now: now() };
  const stored = await store().renew(draft, claimId);
  return await decrypt(stored ?? (await store().find(holding)), parts);
}

interface Grant {
  readonly credential: Credential;
  readonly client: OAuthClient;
  readonly refreshToken: string;
}

/**
 * The data for a refresh request. Undefined if there is no refresh token, or if the configured client is not the one
 * that signed in.
 */
function grantOf(credential: Credential, settings: OAuthSettings): Grant | undefined {
  const { refreshToken } = credential;
  const client = clientOf(credential, settings);
  return refreshToken === undefined || client === undefined ? undefined : { credential, client, refreshToken };
}

/** The OAuth client that a credential was issued to, with the currently configured secret. */
export function clientOf({ client }: Credential, { clientId, clientSecret }: OAuthSettings): OAuthClient | undefined {
  if (client.isConfigured !== true) return client;
  if (client.id !== clientId) return undefined;
  return clientSecret === undefined ? client : { ...client, secret: clientSecret };
}

async function requestRenewal(
  { credential, client, refreshToken }: Grant,
  { openFetch }: RenewalParts,
): Promise<TokenAnswer> {
  const { tokenEndpoint, authMethods, resource } = credential;
  const guarded = openFetch();
  try {
    const form = { grant_type: "refresh_token", refresh_token: refreshToken, resource };
    return await requestTokens({ endpoint: tokenEndpoint, authMethods, client, form }, guarded.fetch);
  } finally {
    guarded.close();
  }
}

/**
 * Updates a credential with a token response. Values that the response omits are preserved (RFC 6749, sections 5.1 and
 * 6), except the expiry time.
 */
export function withTokens(credential: Credential, { lifetimeMs, ...tokens }: Tokens, now: number): Credential {
  const { expiresAt: _expired, ...rest } = credential;
  return { ...rest, ...tokens, ...(lifetimeMs === undefined ? {} : { expiresAt: now + lifetimeMs }) };
}

async function decrypt(
  stored: SealedCredential | undefined,
  { vault }: RenewalParts,
): Promise<OpenCredential | undefined> {
  return stored && (await vault.open(stored));
}

function reasonOf(error: unknown): string {
  return error instanceof DiscoveryError ? error.message.replace(/\.$/, "") : "the request failed";
}
