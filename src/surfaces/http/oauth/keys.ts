// Fetches the public keys of a token issuer: when a token first needs them, and again when a token has an unknown key
// id.
import { createRemoteJWKSet, customFetch, type FetchImplementation, type JWTVerifyGetKey } from "jose";
import { DiscoveryError } from "../../../errors.js";
import { isJsonObject } from "../../../model/json.js";
import { createGuardedFetch, type GuardedFetchParts } from "../../../util/net/guarded-fetch.js";
import type { OAuthOptions } from "./options.js";

export interface KeysParts extends Pick<GuardedFetchParts, "lookup" | "ca" | "env"> {
  readonly options: Pick<OAuthOptions, "issuer" | "jwksUri">;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
}

export interface IssuerKeys {
  readonly find: JWTVerifyGetKey;
  close(): void;
}

const TIMEOUT_MS = 5000;
const MAX_BYTES = 1024 * 1024;
/** The keys are fetched again if a token has an unknown key id, but at the earliest this long after the last fetch. */
const COOLDOWN_MS = 30_000;
const CACHE_MS = 600_000;

export function createIssuerKeys({ options, elapsed, ...network }: KeysParts): IssuerKeys {
  const { issuer, jwksUri } = options;
  // Configured URLs may point to an internal network. URLs from the issuer's metadata may not, unless they have a
  // configured origin.
  const configuredOrigins = [issuer, ...(jwksUri === undefined ? [] : [jwksUri])].map((text) => new URL(text).origin);
  const guarded = createGuardedFetch({ server: new URL(issuer).host, allowInternal: configuredOrigins, ...network });
  const read = async (url: URL, signal?: AbortSignal): Promise<{ status: number; text: string }> => {
    const request = {
      url,
      method: "GET",
      headers: { accept: "application/json" },
      timeoutMs: TIMEOUT_MS,
      maxTotalMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      redirect: "refuse",
    } as const;
    const { status, body } = await guarded.fetch(request, signal);
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return { status, text: Buffer.concat(chunks).toString("utf8") };
  };
  const fetchKeys: FetchImplementation = withFailureCache(async (url, { signal }) => {
    const { status, text } = await read(new URL(url), signal);
    if (status !== 200)
      throw new DiscoveryError(
        "SERVER_CONNECTION_ERROR",
        `The request for the signing keys of ${issuer} returned HTTP ${status}.`,
      );
    return new Response(text);
  }, elapsed);
  const open = (url: URL): JWTVerifyGetKey =>
    createRemoteJWKSet(url, {
      [customFetch]: fetchKeys,
      timeoutDuration: TIMEOUT_MS,
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: CACHE_MS,
    });
  const locate = withFailureCache(() => locateKeys(issuer, jwksUri, read), elapsed);
  let keys: Promise<JWTVerifyGetKey> | undefined;
  return {
    async find(header, token) {
      keys ??= locate().then(open, (error: unknown) => {
        keys = undefined;
        throw error;
      });
      return await (await keys)(header, token);
    },
    close: () => guarded.close(),
  };
}

const FAILURE_CACHE_MS = 5000;

/**
 * After a failure, throws the same error for `FAILURE_CACHE_MS` without a new request, so that many tokens do not cause
 * many requests.
 */
function withFailureCache<Args extends unknown[], T>(
  work: (...args: Args) => Promise<T>,
  elapsed: () => number,
): (...args: Args) => Promise<T> {
  let last: { readonly error: unknown; readonly until: number } | undefined;
  return async (...args) => {
    if (last !== undefined && elapsed() < last.until) throw last.error;
    try {
      return await work(...args);
    } catch (error) {
      last = { error, until: elapsed() + FAILURE_CACHE_MS };
      throw error;
    }
  };
}

type Read = (url: URL) => Promise<{ readonly status: number; readonly text: string }>;

async function locateKeys(issuer: string, jwksUri: string | undefined, read: Read): Promise<URL> {
  if (jwksUri !== undefined) return new URL(jwksUri);
  for (const url of metadataUrls(issuer)) {
    const { status, text } = await read(url);
    if (status !== 200) continue;
    const metadata = parse(text);
    // Metadata that names another issuer must not be used (RFC 8414, section 3.3).
    if (!isJsonObject(metadata) || metadata["issuer"] !== issuer) continue;
    const uri = metadata["jwks_uri"];
    if (typeof uri === "string" && URL.canParse(uri)) return new URL(uri);
  }
  throw new DiscoveryError(
    "CONFIGURATION_ERROR",
    `The metadata of the issuer ${issuer} cannot be found or has no URL of its signing keys (jwks_uri).`,
    {
      hint: [
        { action: "edit-config", key: "http.oauth.issuer", change: "correct" },
        { action: "edit-config", key: "http.oauth.jwksUri", value: "the URL of the keys" },
      ],
    },
  );
}

/**
 * Returns the URLs at which the issuer's metadata may be, in the order of the MCP specification (2025-11-25): RFC 8414,
 * then both forms of OpenID Connect Discovery.
 */
function metadataUrls(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const known = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(known)].map((one) => new URL(one, origin));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
