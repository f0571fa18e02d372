// Begins a sign-in: returns the URL for the user's browser. `finish` obtains the credential from the redirect.
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
import { type AuthorizationDetails, discoverAuthorization } from "./discover.js";
import { loginCommand, unusable } from "./failures.js";
import { withTokens } from "./renewal.js";
import type { RemoteConnection } from "./settings.js";
import { requestTokens } from "./token-request.js";

export interface LoginParts {
  readonly server: string;
  readonly connection: RemoteConnection;
  readonly guarded: AuthFetch;
  readonly redirectUrl: string;
  /** The scope that the user requests. It replaces the configured scope and the scope that the server requires. */
  readonly scope?: string | undefined;
  /**
   * The scope granted in an earlier sign-in. It is requested again together with `scope`, so that the user does not
   * lose it.
   */
  readonly grantedScope?: string | undefined;
  readonly now: () => number;
}

export interface Login {
  readonly issuer: string;
  readonly scope: string | undefined;
  /** The URL at which the user signs in. */
  readonly url: URL;
  /** Whether a redirect belongs to this sign-in, determined by its `state`. */
  matches(answer: URLSearchParams): boolean;
  /** Redeems the authorization code. Can be called once. */
  finish(answer: URLSearchParams, signal: AbortSignal): Promise<Credential>;
}

export async function beginLogin(parts: LoginParts, signal: AbortSignal): Promise<Login> {
  const { server, connection, guarded, redirectUrl } = parts;
  const fetch: AuthFetch["fetch"] = (url, init) => guarded.fetch(url, { ...init, signal });
  const authorization = await discoverAuthorization(parts, signal);
  const { issuer, metadata, resource } = authorization;
  const settings = connection.oauth ?? {};
  const scope = scopeFor(authorization, parts);
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
    matches: (answer) => isSame(answer.get("state") ?? "", state),
    finish: (answer, finishing) => redeem({ answer, authorization, client, codeVerifier, parts, scope }, finishing),
  };
}

/**
 * The scope that the user requests together with the scope granted earlier; else the configured scope; else the scope
 * that the server requires. `offline_access` is added if the server supports it, to obtain a refresh token.
 */
function scopeFor({ metadata, scope: required }: AuthorizationDetails, parts: LoginParts): string | undefined {
  const configured = parts.connection.oauth?.scopes?.join(" ");
  const requested =
    parts.scope === undefined ? (configured ?? required) : computeScopeUnion(parts.grantedScope, parts.scope);
  const isRenewable = metadata.scopes_supported?.includes("offline_access") === true;
  return computeScopeUnion(requested, requested !== undefined && isRenewable ? "offline_access" : undefined);
}

interface Redemption {
  readonly answer: URLSearchParams;
  readonly authorization: AuthorizationDetails;
  readonly client: OAuthClient;
  readonly codeVerifier: string;
  readonly parts: LoginParts;
  readonly scope: string | undefined;
}

async function redeem(redemption: Redemption, signal: AbortSignal): Promise<Credential> {
  const { answer, authorization, client, codeVerifier, parts } = redemption;
  const { server, guarded, redirectUrl, now } = parts;
  const { issuer, metadata, resource } = authorization;
  assertIssuer(authorization, answer, server);
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
  const response = await requestTokens({ endpoint: metadata.token_endpoint, authMethods, client, form }, (url, init) =>
    guarded.fetch(url, { ...init, signal }),
  );
  if (response.kind !== "granted")
    throw unusable(server, `its authorization server issued no token (${response.reason})`);
  const { secret: _secret, ...withoutSecret } = client;
  const before = {
    issuer,
    tokenEndpoint: metadata.token_endpoint,
    ...(authorization.revocationEndpoint === undefined ? {} : { revocationEndpoint: authorization.revocationEndpoint }),
    authMethods,
    client: client.isConfigured === true ? withoutSecret : client,
    resource,
    accessToken: "",
    ...(redemption.scope === undefined ? {} : { scope: redemption.scope }),
  };
  return withTokens(before, response.tokens, now());
}

/** A code from another authorization server must not be redeemed at this one (RFC 9207). */
function assertIssuer({ issuer, metadata }: AuthorizationDetails, answer: URLSearchParams, server: string): void {
  try {
    validateAuthorizationResponseIssuer({
      iss: answer.get("iss") ?? undefined,
      expectedIssuer: issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch (error) {
    throw unusable(server, "the redirect in the browser came from another issuer", error);
  }
}

function declined(server: string, error: string | null): DiscoveryError {
  const code = error !== null && /^[\w-]{1,60}$/.test(error) ? error : "no code";
  return new DiscoveryError("UPSTREAM_UNAUTHORIZED", `The sign-in to ${server} was not granted (${code}).`, {
    hint: ["Allow access in the browser.", { action: "sign-in", server, command: loginCommand({ server }) }],
    server,
  });
}

function isSame(received: string, expected: string): boolean {
  const [a, b] = [Buffer.from(received), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
