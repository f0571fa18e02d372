// Authenticates a request by its `Authorization` header. Returns the actor, or the reason why the caller is unknown.
import { createHash, timingSafeEqual } from "node:crypto";
import { type Actor, localActor } from "../../model/actor.js";
import type { LoginThrottle } from "./login-throttle.js";
import type { HttpOptions } from "./options.js";

/** The result of authenticating a request. */
export type Identity =
  /** The token is valid. `until`: when it expires, in milliseconds since 1970. */
  | { readonly kind: "known"; readonly actor: Actor; readonly until?: number }
  /** The request has no token. */
  | { readonly kind: "anonymous" }
  /** The token is not valid. */
  | { readonly kind: "invalid" }
  /** The token is valid but lacks required scopes or claims. `scopes`: the required scopes. */
  | { readonly kind: "insufficient"; readonly scopes: readonly string[] }
  /** The token is not valid, and too many invalid tokens came from this address. */
  | { readonly kind: "limited"; readonly retryAfterMs: number }
  /** The token cannot be verified now, because the keys of the authorization server cannot be fetched. */
  | { readonly kind: "unverifiable" };

export interface Presented {
  readonly authorization: string | undefined;
  /** The key of the source address, for counting invalid tokens. */
  readonly source: string;
  /** Whether the request comes from this machine without a proxy. */
  readonly isLocal: boolean;
}

export type Identify = (presented: Presented) => Promise<Identity>;

/** Verifies a token signed by an authorization server. */
export type VerifySigned = (token: string) => Promise<Identity>;

export interface IdentityParts {
  /** The bearer token of the local user, from the file `http.token`. */
  readonly token: string;
  /** Returns the current options, so that a token that was removed from the configuration is rejected. */
  readonly options: () => Pick<HttpOptions, "tokens">;
  /** Returns the verifier of signed tokens; undefined if no authorization server is configured. */
  readonly verify: () => VerifySigned | undefined;
  readonly throttle: LoginThrottle;
  readonly now: () => number;
}

const BEARER = /^bearer +(\S+) *$/i;
/** Matches a signed JWT: three base64url parts. */
const SIGNED = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export function createIdentify(parts: IdentityParts): Identify {
  const localHash = digest(parts.token);
  const authenticate = async (token: string, hash: Buffer, isLocal: boolean): Promise<Identity> => {
    // Compare with every hash in constant time, so that the timing reveals nothing about the valid tokens.
    const isLocalToken = timingSafeEqual(hash, localHash);
    const entry = findEntry(parts.options().tokens, hash);
    if (isLocalToken && isLocal) return { kind: "known", actor: localActor("http") };
    if (entry !== undefined) {
      if (entry.expires === undefined) return { kind: "known", actor: toActor(entry) };
      const until = Date.parse(entry.expires);
      return until <= parts.now() ? { kind: "invalid" } : { kind: "known", actor: toActor(entry), until };
    }
    const verify = SIGNED.test(token) ? parts.verify() : undefined;
    return (await verify?.(token)) ?? { kind: "invalid" };
  };
  return async ({ authorization, source, isLocal }) => {
    if (authorization === undefined || authorization === "") return { kind: "anonymous" };
    const token = BEARER.exec(authorization)?.[1] ?? "";
    const identity = token === "" ? ({ kind: "invalid" } as const) : await authenticate(token, digest(token), isLocal);
    // Check the token first: other callers may share the address, and a valid token is too long to be guessed.
    if (identity.kind !== "invalid") return identity;
    const waitMs = parts.throttle.waitMs(source);
    if (waitMs > 0) return { kind: "limited", retryAfterMs: waitMs };
    parts.throttle.failed(source);
    return identity;
  };
}

function findEntry(tokens: HttpOptions["tokens"], hash: Buffer): HttpOptions["tokens"][number] | undefined {
  let found: HttpOptions["tokens"][number] | undefined;
  for (const entry of tokens) {
    if (timingSafeEqual(Buffer.from(entry.hash.slice("sha256:".length), "hex"), hash)) found = entry;
  }
  return found;
}

function toActor({ name, scopes, view }: HttpOptions["tokens"][number]): Actor {
  return { id: `token:${name}`, surface: "http", scopes, ...(view === undefined ? {} : { view }) };
}

/** Hashes a token. Hashes have a fixed length, so they can be compared in constant time. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
