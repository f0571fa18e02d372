// Requests tokens with a grant. Returns the tokens or the reason for the failure.
import type { FetchLike } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Credential, OAuthClient } from "./credential.js";

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  readonly lifetimeMs?: number;
}

export type TokenAnswer =
  | { readonly kind: "granted"; readonly tokens: Tokens }
  /** The issuer rejected the grant or the client; a repetition would be rejected as well. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The request failed for another reason, so a repetition may succeed. */
  | { readonly kind: "failed"; readonly reason: string };

export interface TokenRequest {
  readonly endpoint: string;
  readonly authMethods: readonly string[];
  readonly client: OAuthClient;
  readonly form: Readonly<Record<string, string>>;
}

/** OAuth error codes that are permanent according to RFC 6749, section 5.2, and RFC 8707. A retry does not help. */
const PERMANENT_ERRORS = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_target",
  "invalid_request",
]);

/** Maximum lifetime of a token in seconds: ten years. Longer lifetimes could exceed the range of dates. */
const MAX_LIFETIME_S = 315_360_000;

export async function requestTokens(request: TokenRequest, fetch: FetchLike): Promise<TokenAnswer> {
  const response = await post(request, fetch);
  const body = toObject(await response.text());
  const error = codeIn(body);
  const accessToken = body["access_token"];
  // Some servers report an error with status 200.
  if (response.status === 200 && error === undefined && isToken(accessToken)) {
    if (isBearer(body["token_type"])) return { kind: "granted", tokens: toTokens(body, accessToken) };
    return { kind: "refused", reason: "its tokens are not bearer tokens" };
  }
  const reason = error ?? `HTTP ${response.status}`;
  return {
    kind: error !== undefined && PERMANENT_ERRORS.has(error) && response.status < 500 ? "refused" : "failed",
    reason,
  };
}

/** Revokes a token (RFC 7009). Returns undefined on success, else the reason for the failure. */
export async function revokeToken(
  { revocationEndpoint, authMethods }: Credential,
  { token, hint, client }: { readonly token: string; readonly hint: string; readonly client: OAuthClient },
  fetch: FetchLike,
): Promise<string | undefined> {
  if (revocationEndpoint === undefined) return "its authorization server does not support token revocation";
  const form = { token, token_type_hint: hint };
  const response = await post({ endpoint: revocationEndpoint, authMethods, client, form }, fetch);
  return response.status === 200 ? undefined : (codeIn(toObject(await response.text())) ?? `HTTP ${response.status}`);
}

async function post({ endpoint, authMethods, client, form }: TokenRequest, fetch: FetchLike): Promise<Response> {
  const { id, secret } = client;
  const method = authMethodOf(client, authMethods);
  const body = new URLSearchParams(form);
  const headers: Record<string, string> = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  if (method === "client_secret_basic" && secret !== undefined) headers["authorization"] = basic(id, secret);
  else {
    body.set("client_id", id);
    if (method === "client_secret_post" && secret !== undefined) body.set("client_secret", secret);
  }
  return await fetch(endpoint, { method: "POST", headers, body: body.toString(), redirect: "manual" });
}

/**
 * The client authentication method: the registered method, else the safest method that the server supports. The default
 * is client_secret_basic (RFC 8414).
 */
function authMethodOf({ secret, authMethod }: OAuthClient, known: readonly string[]): string {
  if (secret === undefined) return "none";
  if (authMethod !== undefined && (known.length === 0 || known.includes(authMethod))) return authMethod;
  return known.length > 0 && !known.includes("client_secret_basic") ? "client_secret_post" : "client_secret_basic";
}

/** The Authorization header for client_secret_basic. By RFC 6749, section 2.3.1, both values are form-encoded first. */
function basic(id: string, secret: string): string {
  const encoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString("base64")}`;
}

/** Whether the token type is Bearer. RFC 6749 requires `token_type`, but some servers omit it. */
function isBearer(type: unknown): boolean {
  return type === undefined || (typeof type === "string" && type.toLowerCase() === "bearer");
}

/** Accepts only characters that are safe in a header; a line break could add another header. */
function isToken(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,32768}$/.test(value);
}

function toTokens(body: JsonObject, accessToken: string): Tokens {
  const { refresh_token: refreshToken, scope } = body;
  const seconds = Number(body["expires_in"]);
  return {
    accessToken,
    ...(isToken(refreshToken) ? { refreshToken } : {}),
    ...(typeof scope === "string" ? { scope: scope.slice(0, 4096) } : {}),
    ...(Number.isFinite(seconds) && seconds > 0 ? { lifetimeMs: Math.min(seconds, MAX_LIFETIME_S) * 1000 } : {}),
  };
}

/** The error code, if it is safe to show. */
function codeIn(body: JsonObject): string | undefined {
  const { error } = body;
  if (error === undefined) return undefined;
  return typeof error === "string" && /^[\w-]{1,60}$/.test(error) ? error : "an error that cannot be shown";
}

function toObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
