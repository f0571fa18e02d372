// Adds the configured credentials to requests, except for operations that need none according to the API document.
import { DiscoveryError } from "../../errors.js";
import type { RestAuth, RestConnection } from "../../model/server.js";
import type { RestRequest } from "./build-request.js";
import { encode } from "./encode.js";
import { isTokenName, isHeaderValue } from "./headers.js";
import { basic, secretsIn } from "./secrets-in.js";
import { createTokenSource, type TokenParts } from "./token.js";

export interface RestCredentials {
  /** Header names in lower case that no argument may set. */
  readonly reservedHeaders: ReadonlySet<string>;
  /**
   * Adds the credentials to a request. `isOpen`: the operation needs none. `refused`: the token of an earlier attempt,
   * which the API rejected.
   */
  apply(request: RestRequest, isOpen: boolean, refused?: string): Promise<Authorized>;
}

export interface Authorized {
  readonly request: RestRequest;
  /** The access token that was added. Set only if it can be renewed. */
  readonly token?: string;
}

export type CredentialsParts = Omit<TokenParts, "auth"> & { readonly connection: RestConnection };

/**
 * Names of headers that may contain credentials. Such a configured header is not sent to operations that need no
 * credentials according to the API document.
 */
const CREDENTIAL = /^(?:authorization|cookie|proxy-authorization)$|key|token|secret|auth|password/;

export function createCredentials(parts: CredentialsParts): RestCredentials {
  const { connection, server } = parts;
  const { auth } = connection;
  const headers = checkHeaders(connection.headers, server);
  const harmless = Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIAL.test(name)));
  const tokens = auth?.kind === "client-credentials" ? createTokenSource({ ...parts, auth }) : undefined;
  for (const secret of secretsIn(auth)) parts.secrets.note(secret);
  if (auth !== undefined) checkAuth(auth, server);
  return {
    reservedHeaders: new Set([
      ...Object.keys(headers),
      ...(auth?.kind === "api-key" && auth.in === "header" ? [auth.name.toLowerCase()] : []),
    ]),
    async apply(request, isOpen, refused) {
      const filled = { ...request, headers: { ...request.headers, ...(isOpen ? harmless : headers) } };
      return isOpen || auth === undefined
        ? { request: filled }
        : await authorize(filled, auth, () => tokens?.token(refused));
    },
  };
}

async function authorize(
  request: RestRequest,
  auth: RestAuth,
  fetchToken: () => Promise<string> | undefined,
): Promise<Authorized> {
  switch (auth.kind) {
    case "bearer":
      return { request: withHeader(request, "authorization", `Bearer ${auth.token}`) };
    case "basic":
      return { request: withHeader(request, "authorization", basic(auth.username, auth.password)) };
    case "client-credentials": {
      const token = (await fetchToken()) ?? "";
      return { request: withHeader(request, "authorization", `Bearer ${token}`), token };
    }
    case "api-key":
      return { request: withKey(request, auth) };
  }
}

function withKey(request: RestRequest, auth: Extract<RestAuth, { kind: "api-key" }>): RestRequest {
  const { name, value } = auth;
  if (auth.in === "header") return withHeader(request, name.toLowerCase(), value);
  const pair = `${encode(name, name)}=${encode(value, name)}`;
  if (auth.in === "cookie") return { ...request, cookies: [...without(request.cookies, name), pair] };
  const url = new URL(request.url);
  url.search = [...without(url.search.slice(1).split("&").filter(Boolean), name), pair].join("&");
  return { ...request, url };
}

/** Removes the pair that an argument of the same name added, because the configured value has precedence. */
function without(pairs: readonly string[], name: string): string[] {
  return pairs.filter((pair) => !pair.startsWith(`${encode(name, name)}=`));
}

function withHeader(request: RestRequest, name: string, value: string): RestRequest {
  return { ...request, headers: { ...request.headers, [name]: value } };
}

/** Headers that control message framing. The configuration cannot set them. */
const FRAMING = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "upgrade",
  "te",
  "trailer",
  "expect",
]);

function checkHeaders(configured: Readonly<Record<string, string>>, server: string): Record<string, string> {
  const headers = Object.entries(configured).map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const [name, value] of headers) {
    if (FRAMING.has(name))
      throw invalidSetting(server, `headers.${name}`, "is managed by the HTTP connection and cannot be set");
    if (!isTokenName(name) || !isHeaderValue(value))
      throw invalidSetting(server, `headers.${name.slice(0, 60)}`, "is not a valid header");
  }
  return Object.fromEntries(headers);
}

function checkAuth(auth: RestAuth, server: string): void {
  const text = auth.kind === "bearer" ? auth.token : auth.kind === "api-key" && auth.in === "header" ? auth.value : "";
  if (!isHeaderValue(text))
    throw invalidSetting(server, "auth", "contains a character that is not allowed in a header");
  if (auth.kind === "api-key" && auth.in === "header" && !isTokenName(auth.name)) {
    throw invalidSetting(server, "auth.name", "is not a valid header name");
  }
  if (auth.kind === "client-credentials" && !URL.canParse(auth.tokenUrl)) {
    throw invalidSetting(server, "auth.tokenUrl", "is not a URL");
  }
}

function invalidSetting(server: string, member: string, what: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `adapters.${server}.${member} ${what}.`, {
    hint: { action: "edit-config", key: `adapters.${server}.${member}`, change: "correct" },
    server,
  });
}
