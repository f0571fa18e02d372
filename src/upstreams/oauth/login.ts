// A connection comes in, the address that a person has to open goes out; with what the browser was sent back to, a
// credential is made and kept.
import { randomBytes, timingSafeEqual } from "node:crypto";
import {
  computeScopeUnion,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { DiscoveryError } from "../../errors.js";
import type { AuthFetch } from "./auth-fetch.js";
import { findClient } from "./client.js";
import type { Credential, OAuthClient } from "./credential.js";
import { type AuthorizationPlace, discoverPlace } from "./discover.js";
import { loginCommand, unusable } from "./failures.js";
import { withTokens } from "./renewal.js";
import type { RemoteConnection } from "./settings.js";
import { requestTokens } from "./token-request.js";

export interface LoginParts {
  readonly server: string;
  readonly connection: RemoteConnection;
  readonly guarded: AuthFetch;
  readonly redirectUrl: string;
  /** What the person asks for beyond what the server says that it needs. */
  readonly scope?: string | undefined;
  /** What an earlier sign-in was given: asking for more must not lose it. */
  readonly grantedScope?: string | undefined;
  readonly now: () => number;
}

export interface Login {
  readonly issuer: string;
  readonly scope: string | undefined;
  /** Where the person signs in. */
  readonly url: URL;
  /** Whether an answer belongs to this sign-in. */
  isMine(answer: URLSearchParams): boolean;
  /** Redeems the answer, once. */
  finish(answer: URLSearchParams, signal: AbortSignal): Promise<Credential>;
}

export async function beginLogin(parts: LoginParts, signal: AbortSignal): Promise<Login> {
  const { server, connection, guarded, redirectUrl } = parts;
  const fetch: AuthFetch["fetch"] = (url, init) => guarded.fetch(url, { ...init, signal });
  const place = await discoverPlace(parts, signal);
  const { issuer, metadata, resource } = place;
  const settings = connection.oauth ?? {};
  const scope = scopeFor(place, parts);
  const client = await findClient({ server, issuer, metadata, settings, redirectUrl, scope, fetch });
  const state = randomBytes(32).toString("base64url");
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    metadata,
    clientInformation: { client_id: client.id },
    redirectUrl,
    state,
    resource,
    ...(scope === undefined ? {} : { scope }),
  });
  return {
    issuer,
    scope,
    url: authorizationUrl,
    isMine: (answer) => isSame(answer.get("state") ?? "", state),
    finish: (answer, finishing) => redeem({ answer, place, client, codeVerifier, parts, scope }, finishing),
  };
}

/** What the person asks for, else what the server wants; the right to renew in either case, where there is such a scope. */
function scopeFor({ metadata, scope: wanted }: AuthorizationPlace, parts: LoginParts): string | undefined {
  const written = parts.connection.oauth?.scopes?.join(" ");
  const asked = parts.scope === undefined ? (written ?? wanted) : computeScopeUnion(parts.grantedScope, parts.scope);
  const isRenewable = metadata.scopes_supported?.includes("offline_access") === true;
  return computeScopeUnion(asked, asked !== undefined && isRenewable ? "offline_access" : undefined);
}

interface Redemption {
  readonly answer: URLSearchParams;
  readonly place: AuthorizationPlace;
  readonly client: OAuthClient;
  readonly codeVerifier: string;
  readonly parts: LoginParts;
  readonly scope: string | undefined;
}

async function redeem(redemption: Redemption, signal: AbortSignal): Promise<Credential> {
  const { answer, place, client, codeVerifier, parts } = redemption;
  const { server, guarded, redirectUrl, now } = parts;
  const { issuer, metadata, resource } = place;
  assertFrom(place, answer, server);
  const code = answer.get("code");
  if (code === null) throw declined(server, answer.get("error"));
  const authMethods = metadata.token_endpoint_auth_methods_supported ?? [];
  const form = {
    grant_type: "authorization_code",
    code,
    code_verifier: codeVerifier,
    redirect_uri: redirectUrl,
    resource,
  };
  const given = await requestTokens({ endpoint: metadata.token_endpoint, authMethods, client, form }, (url, init) =>
    guarded.fetch(url, { ...init, signal }),
  );
  if (given.kind !== "granted") throw unusable(server, `its authorization server gave no token (${given.reason})`);
  const { secret: _secret, ...configured } = client;
  const before = {
    issuer,
    tokenEndpoint: metadata.token_endpoint,
    ...(place.revocationEndpoint === undefined ? {} : { revocationEndpoint: place.revocationEndpoint }),
    authMethods,
    client: client.isConfigured === true ? configured : client,
    resource,
    accessToken: "",
    ...(redemption.scope === undefined ? {} : { scope: redemption.scope }),
  };
  return withTokens(before, given.tokens, now());
}

/** The answer of another authorization server must not be redeemed at this one (RFC 9207). */
function assertFrom({ issuer, metadata }: AuthorizationPlace, answer: URLSearchParams, server: string): void {
  try {
    validateAuthorizationResponseIssuer({
      iss: answer.get("iss") ?? undefined,
      expectedIssuer: issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch (error) {
    throw unusable(server, "the answer in the browser came from another issuer than the one that was asked", error);
  }
}

function declined(server: string, error: string | null): DiscoveryError {
  const code = error !== null && /^[\w-]{1,60}$/.test(error) ? error : "no code";
  return new DiscoveryError("UPSTREAM_UNAUTHORIZED", `The sign-in to ${server} was not granted (${code}).`, {
    hint: `Run \`${loginCommand({ server })}\` again, and allow it in the browser.`,
    server,
  });
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
