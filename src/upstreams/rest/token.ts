// Obtains an access token with client credentials. Concurrent callers share one request; the token is cached until
// shortly before it expires.
import { DiscoveryError } from "../../errors.js";
import { isJsonObject } from "../../model/json.js";
import type { RestAuth } from "../../model/server.js";
import type { GuardedFetch } from "../../util/net/guarded-fetch.js";
import type { Secrets } from "../../util/secrets.js";
import { beforeSending } from "./before-sending.js";
import { readText } from "./read-text.js";
import { basic } from "./secrets-in.js";

const TOKEN_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 256 * 1024;
/** How long before its expiry a token is renewed. Allows for clock differences and for the duration of a request. */
const MARGIN_MS = 30_000;

type ClientCredentials = Extract<RestAuth, { kind: "client-credentials" }>;

export interface TokenParts {
  readonly server: string;
  readonly auth: ClientCredentials;
  readonly guarded: GuardedFetch;
  readonly secrets: Pick<Secrets, "note" | "noteTemporary">;
  readonly now: () => number;
}

export interface TokenSource {
  /** Returns an access token. `refused`: a token that the API no longer accepts. */
  token(refused?: string): Promise<string>;
}

interface Token {
  readonly value: string;
  readonly until: number;
}

export function createTokenSource(parts: TokenParts): TokenSource {
  let current: Token | undefined;
  let fetching: Promise<Token> | undefined;

  async function renew(): Promise<Token> {
    fetching ??= fetchToken(parts).finally(() => {
      fetching = undefined;
    });
    current = await fetching;
    return current;
  }

  return {
    async token(refused) {
      // If another caller has already renewed the refused token, the renewed token is returned.
      const isGood = current !== undefined && current.value !== refused && parts.now() < current.until;
      const { value } = isGood && current !== undefined ? current : await renew();
      parts.secrets.noteTemporary(value);
      return value;
    },
  };
}

async function fetchToken(parts: TokenParts): Promise<Token> {
  const first = await beforeSending(requestToken(parts, "header"), parts.server);
  // Some authorization servers accept the secret only in the body, which RFC 6749 allows besides the header.
  const answer =
    first.status === 400 || first.status === 401
      ? await beforeSending(requestToken(parts, "body"), parts.server)
      : first;
  const { status, body } = answer;
  const value = body["access_token"];
  if (status !== 200 || typeof value !== "string" || value === "") throw noToken(parts.server, status, body);
  const seconds = Number(body["expires_in"]);
  const lifeMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : Number.POSITIVE_INFINITY;
  return { value, until: parts.now() + lifeMs - Math.min(MARGIN_MS, lifeMs / 10) };
}

async function requestToken(
  parts: TokenParts,
  location: "header" | "body",
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { auth, guarded } = parts;
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (auth.scopes.length > 0) form.set("scope", auth.scopes.join(" "));
  const headers: Record<string, string> = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  if (location === "header")
    headers["authorization"] = basic(formEncoded(auth.clientId), formEncoded(auth.clientSecret));
  else {
    form.set("client_id", auth.clientId);
    form.set("client_secret", auth.clientSecret);
  }
  const response = await guarded.fetch({
    url: new URL(auth.tokenUrl),
    method: "POST",
    headers,
    body: Buffer.from(form.toString()),
    timeoutMs: TOKEN_TIMEOUT_MS,
    maxTotalMs: TOKEN_TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
    redirect: "refuse",
  });
  return { status: response.status, body: toObject(await readText(response.body)) };
}

function formEncoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

function toObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function noToken(server: string, status: number, body: Record<string, unknown>): DiscoveryError {
  const error = typeof body["error"] === "string" && /^[\w-]{1,60}$/.test(body["error"]) ? body["error"] : undefined;
  const what = error === undefined ? `HTTP ${status}` : `HTTP ${status}, ${error}`;
  const code = status >= 500 ? "SERVER_CONNECTION_ERROR" : "UPSTREAM_UNAUTHORIZED";
  return new DiscoveryError(code, `No access token was issued for ${server} (${what}).`, {
    hint: [
      { action: "edit-config", key: `adapters.${server}.auth`, change: "correct" },
      "Check `clientId`, `clientSecret`, `scopes` and `tokenUrl`.",
    ],
    facts: { status, ...(error === undefined ? {} : { error }) },
    server,
  });
}
