// A server's address comes in; who gives out tokens for it, where and on which terms goes out. Nothing is believed that
// does not fit the address or the issuer, and no address is taken over that must not be asked.
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

/** What a sign-in to one server needs to know. */
export interface AuthorizationPlace {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  readonly revocationEndpoint?: string;
  readonly resource: string;
  /** What the server says that its calls need; undefined when it does not say. */
  readonly scope?: string;
}

export interface DiscoverParts {
  readonly server: string;
  readonly connection: RemoteConnection;
  readonly guarded: AuthFetch;
}

export async function discoverPlace(parts: DiscoverParts, signal: AbortSignal): Promise<AuthorizationPlace> {
  const { server, connection, guarded } = parts;
  const fetch: AuthFetch["fetch"] = (url, init) => guarded.fetch(url, { ...init, signal });
  const challenge = await challengeOf(parts, fetch);
  const resource = await describedResource(parts, challenge?.resourceMetadataUrl, fetch);
  const written = connection.oauth?.issuer;
  const named = resource?.issuers ?? [];
  if (written !== undefined && named.length > 0 && !named.includes(written)) {
    throw unusable(server, `the configuration names the issuer ${written}, and the server others`);
  }
  // Before there were such descriptions (2025-03-26), the origin of the server was its issuer.
  const wanted = written ?? named[0] ?? new URL("/", connection.url).href;
  const metadata = await metadataOf(wanted, { server, fetch });
  if (metadata === undefined) throw nowhere(server, challenge !== undefined || resource !== undefined);
  assertTerms(metadata, parts);
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

/** Some servers let everybody begin, and ask who it is only then. */
const OPENINGS = [
  {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "anygpt-discovery", version: "1" } },
  },
  { method: "tools/list", params: {} },
].map((opening, id) => ({ jsonrpc: "2.0", id, ...opening }));

/** Undefined when the server lets everybody in. */
async function challengeOf({ connection: { kind, url, headers } }: DiscoverParts, fetch: Fetch) {
  const json = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const requests =
    kind === "sse"
      ? [{ headers: { ...headers, accept: "text/event-stream" } }]
      : OPENINGS.map((body) => ({ method: "POST", headers: { ...headers, ...json }, body: JSON.stringify(body) }));
  for (const request of requests) {
    const response = await fetch(url, request);
    if (response.status === 401) return extractWWWAuthenticateParams(response);
  }
  return undefined;
}

async function describedResource(
  { server, connection }: DiscoverParts,
  resourceMetadataUrl: URL | undefined,
  fetch: Fetch,
) {
  const at = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
  const found = await discoverOAuthProtectedResourceMetadata(connection.url, at, fetch).catch((error: unknown) => {
    if (error instanceof DiscoveryError) throw error;
    if (resourceMetadataUrl !== undefined)
      throw unusable(server, "what the server says of itself cannot be read", error);
    return undefined;
  });
  if (found === undefined) return undefined;
  const { resource, authorization_servers: issuers = [], scopes_supported: scopes } = found;
  const isOurs =
    URL.canParse(resource) && checkResourceAllowed({ requestedResource: connection.url, configuredResource: resource });
  if (!isOurs) throw unusable(server, `the server says that tokens for it are for another one (${shown(resource)})`);
  return { resource, issuers: issuers.map(String), scope: scopes?.join(" ") };
}

async function metadataOf(issuer: string, { server, fetch }: { readonly server: string; readonly fetch: Fetch }) {
  if (!URL.canParse(issuer)) throw unusable(server, "its authorization server has no address");
  try {
    return await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  } catch (error) {
    if (error instanceof DiscoveryError) throw error;
    if (error instanceof IssuerMismatchError) {
      throw unusable(server, `${shown(issuer)} says that it is another issuer`, error);
    }
    throw unusable(server, `what ${shown(issuer)} says of itself cannot be read`, error);
  }
}

/** The members of the metadata that are addresses which we would ask or open. */
const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"] as const;

function assertTerms(metadata: AuthorizationServerMetadata, { server, guarded }: DiscoverParts): void {
  for (const name of ENDPOINTS) {
    const address = (metadata as Readonly<Record<string, unknown>>)[name];
    if (address === undefined) continue;
    const why =
      typeof address === "string" && URL.canParse(address) ? guarded.whyNot(new URL(address)) : "it is no address";
    if (why !== undefined) throw unusable(server, `the ${name} of its authorization server is refused: ${why}`);
  }
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true) {
    throw unusable(server, "its authorization server does not say that it supports PKCE with S256");
  }
  if (!metadata.response_types_supported.includes("code")) {
    throw unusable(server, "its authorization server does not give out codes");
  }
}

function nowhere(server: string, isWanted: boolean): DiscoveryError {
  if (isWanted) return unusable(server, "its authorization server does not describe itself");
  return new DiscoveryError("INVALID_REQUEST", `${server} does not ask anybody to sign in.`, {
    hint: `If it needs a token all the same, give it in \`headers\` in the configuration.`,
    server,
  });
}

/** Of an address that others chose, as much as a message can hold. */
function shown(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : "something that is no address";
}
