// A grant comes in, tokens or the reason why there are none go out. It knows nothing of where they are kept.
import type { FetchLike } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Credential, OAuthClient } from "./credential.js";

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  readonly lifeMs?: number;
}

export type TokenAnswer =
  | { readonly kind: "granted"; readonly tokens: Tokens }
  /** A verdict on the grant or the client, which will be the same next time. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Nobody knows what it would have said. */
  | { readonly kind: "failed"; readonly reason: string };

export interface TokenRequest {
  readonly endpoint: string;
  readonly authMethods: readonly string[];
  readonly client: OAuthClient;
  readonly form: Readonly<Record<string, string>>;
}

/** RFC 6749, 5.2 and RFC 8707: these will not go away by themselves. */
const VERDICTS = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_target",
  "invalid_request",
]);

/** Ten years: what is beyond can no longer be told as a date. */
const LONGEST_LIFE_S = 315_360_000;

export async function requestTokens(request: TokenRequest, fetch: FetchLike): Promise<TokenAnswer> {
  const response = await post(request, fetch);
  const said = toObject(await response.text());
  const error = codeIn(said);
  const accessToken = said["access_token"];
  // Some tell an error with status 200.
  if (response.status === 200 && error === undefined && isToken(accessToken)) {
    if (isBearer(said["token_type"])) return { kind: "granted", tokens: toTokens(said, accessToken) };
    return { kind: "refused", reason: "its tokens are not bearer tokens" };
  }
  const reason = error ?? `HTTP ${response.status}`;
  return { kind: error !== undefined && VERDICTS.has(error) && response.status < 500 ? "refused" : "failed", reason };
}

/** Gives up a token (RFC 7009). Undefined when the server took it. */
export async function revokeToken(
  { revocationEndpoint, authMethods }: Credential,
  { token, hint, client }: { readonly token: string; readonly hint: string; readonly client: OAuthClient },
  fetch: FetchLike,
): Promise<string | undefined> {
  if (revocationEndpoint === undefined) return "its authorization server has no way to do it";
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

/** What it was registered with, else the safest that the server knows; left unsaid, that is the header (RFC 8414). */
function authMethodOf({ secret, authMethod }: OAuthClient, known: readonly string[]): string {
  if (secret === undefined) return "none";
  if (authMethod !== undefined && (known.length === 0 || known.includes(authMethod))) return authMethod;
  return known.length > 0 && !known.includes("client_secret_basic") ? "client_secret_post" : "client_secret_basic";
}

/** As RFC 6749, 2.3.1 has it: both are encoded as in a form first. */
function basic(id: string, secret: string): string {
  const encoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString("base64")}`;
}

/** It has to be said, and a few do not. */
function isBearer(type: unknown): boolean {
  return type === undefined || (typeof type === "string" && type.toLowerCase() === "bearer");
}

/** What can stand in a header; anything else could add one. */
function isToken(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,32768}$/.test(value);
}

function toTokens(said: JsonObject, accessToken: string): Tokens {
  const { refresh_token: refreshToken, scope } = said;
  const seconds = Number(said["expires_in"]);
  return {
    accessToken,
    ...(isToken(refreshToken) ? { refreshToken } : {}),
    ...(typeof scope === "string" ? { scope: scope.slice(0, 4096) } : {}),
    ...(Number.isFinite(seconds) && seconds > 0 ? { lifeMs: Math.min(seconds, LONGEST_LIFE_S) * 1000 } : {}),
  };
}

/** The code of an error, if it is one that can be shown. */
function codeIn(said: JsonObject): string | undefined {
  const { error } = said;
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
