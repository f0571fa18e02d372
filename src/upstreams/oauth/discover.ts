// Finds the authorization server of an MCP server and its metadata. Rejects metadata that belongs to another server or
// issuer, and URLs that must not be requested.
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
} from "@modelcontextprotocol/client";
import { DiscoveryError } from "../../errors.js";
import type { AuthFetch } from "./auth-fetch.js";
import { unusable } from "./failures.js";
import { type RemoteConnection, withoutFragment } from "./settings.js";

/** The data that a sign-in to a server needs. */
export interface AuthorizationDetails {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  readonly revocationEndpoint?: string;
  readonly resource: string;
  /** The scope that the server requires. Absent if the server does not name one. */
  readonly scope?: string;
}

export interface OAuthDiscoveryParts {
  readonly server: string;
  readonly connection: RemoteConnection;
  readonly guarded: AuthFetch;
}

export async function discoverAuthorization(
  parts: OAuthDiscoveryParts,
  signal: AbortSignal,
): Promise<AuthorizationDetails> {
  const { server, connection, guarded } = parts;
  const fetch: AuthFetch["fetch"] = (url, init) => guarded.fetch(url, { ...init, signal });
  const challenge = await challengeOf(parts, fetch);
  const resource = await describedResource(parts, challenge?.resourceMetadataUrl, fetch);
  const configured = connection.oauth?.issuer;
  const named = resource?.issuers ?? [];
  if (configured !== undefined && named.length > 0 && !named.includes(configured)) {
    throw unusable(server, `the configuration names the issuer ${configured}, but the server names others`);
  }
  // Without protected resource metadata, the origin of the server is its issuer (MCP 2025-03-26).
  const issuer = configured ?? named[0] ?? new URL("/", connection.url).href;
  const metadata = await metadataOf(issuer, { server, fetch });
  if (metadata === undefined) throw noAuthorizationServer(server, challenge !== undefined || resource !== undefined);
  assertSupported(metadata, parts);
  const scope = challenge?.scope ?? resource?.scope;
  const revocation = (metadata as Readonly<Record<string, unknown>>)["revocation_endpoint"];
  return {
    issuer: metadata.issuer,
    metadata,
    ...(typeof revocation === "string" ? { revocationEndpoint: revocation } : {}),
    resource: resource?.resource ?? withoutFragment(connection.url),
    ...(scope === undefined ? {} : { scope }),
  };
}

type Fetch = AuthFetch["fetch"];

/**
 * Requests without a token that provoke the server's challenge. Some servers accept `initialize` and reject only the
 * next request.
 */
const PROBES = [
  {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "anygpt-discovery", version: "1" } },
  },
  { method: "tools/list", params: {} },
].map((request, id) => ({ jsonrpc: "2.0", id, ...request }));

/** The server's authentication challenge. Undefined if the server accepts requests without a token. */
async function challengeOf({ connection: { kind, url, headers } }: OAuthDiscoveryParts, fetch: Fetch) {
  const json = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const requests =
    kind === "sse"
      ? [{ headers: { ...headers, accept: "text/event-stream" } }]
      : PROBES.map((body) => ({ method: "POST", headers: { ...headers, ...json }, body: JSON.stringify(body) }));
  for (const request of requests) {
    const response = await fetch(url, request);
    if (response.status === 401) return extractWWWAuthenticateParams(response);
  }
  return undefined;
}

async function describedResource(
  { server, connection }: OAuthDiscoveryParts,
  resourceMetadataUrl: URL | undefined,
  fetch: Fetch,
) {
  const at = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
  const found = await discoverOAuthProtectedResourceMetadata(connection.url, at, fetch).catch((error: unknown) => {
    if (error instanceof DiscoveryError) throw error;
    if (resourceMetadataUrl !== undefined)
      throw unusable(server, "the protected resource metadata of the server cannot be read", error);
    return undefined;
  });
  if (found === undefined) return undefined;
  const { resource, authorization_servers: issuers = [], scopes_supported: scopes } = found;
  const isThisServer =
    URL.canParse(resource) && checkResourceAllowed({ requestedResource: connection.url, configuredResource: resource });
  if (!isThisServer)
    throw unusable(server, `the protected resource metadata describes another server (${originOf(resource)})`);
  return { resource, issuers: issuers.map(String), scope: scopes?.join(" ") };
}

async function metadataOf(issuer: string, { server, fetch }: { readonly server: string; readonly fetch: Fetch }) {
  if (!URL.canParse(issuer)) throw unusable(server, "its authorization server has no valid URL");
  try {
    return await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  } catch (error) {
    if (error instanceof DiscoveryError) throw error;
    if (error instanceof IssuerMismatchError) {
      throw unusable(server, `${originOf(issuer)} identifies itself as another issuer`, error);
    }
    throw unusable(server, `the metadata of ${originOf(issuer)} cannot be read`, error);
  }
}

/** The metadata fields with URLs that the gateway requests or opens. */
const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"] as const;

function assertSupported(metadata: AuthorizationServerMetadata, { server, guarded }: OAuthDiscoveryParts): void {
  for (const name of ENDPOINTS) {
    const address = (metadata as Readonly<Record<string, unknown>>)[name];
    if (address === undefined) continue;
    const why =
      typeof address === "string" && URL.canParse(address) ? guarded.whyRefused(new URL(address)) : "it is not a URL";
    if (why !== undefined) throw unusable(server, `the ${name} of its authorization server is not allowed: ${why}`);
  }
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true) {
    throw unusable(server, "its authorization server does not support PKCE with S256");
  }
  if (!metadata.response_types_supported.includes("code")) {
    throw unusable(server, "its authorization server does not support the authorization code flow");
  }
}

function noAuthorizationServer(server: string, isRequired: boolean): DiscoveryError {
  if (isRequired) return unusable(server, "its authorization server has no metadata");
  return new DiscoveryError("INVALID_REQUEST", `${server} does not require a sign-in.`, {
    hint: [
      "If the server requires a token, configure it.",
      { action: "edit-config", key: `servers.${server}.headers`, value: "the header with the token" },
    ],
    server,
  });
}

/** The origin of a URL from an untrusted source, for use in messages. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : "an invalid URL";
}
