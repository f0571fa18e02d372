import type { IncomingMessage } from "node:http";
import type { OAuthOptions } from "./oauth/options.js";
import type { HttpOptions } from "./options.js";

/** The path of the protected resource metadata (RFC 9728). The path of the resource is appended to it. */
export const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";

/** Returns the base URL of the gateway as the caller sees it. The `Host` header has been checked before. */
export function baseUrl({ headers }: IncomingMessage, { publicUrl }: Pick<HttpOptions, "publicUrl">): string {
  return publicUrl ?? `http://${headers.host ?? "localhost"}`;
}

export interface ChallengeParts {
  readonly incoming: IncomingMessage;
  readonly options: Pick<HttpOptions, "publicUrl" | "oauth">;
  readonly error?: "invalid_token" | "insufficient_scope";
  /** The scopes that a token needs for the request. */
  readonly scopes?: readonly string[];
}

/**
 * Returns the value of the header `WWW-Authenticate`, from which a client learns how to get a suitable token (RFC 6750,
 * RFC 9728).
 */
export function toChallenge({ incoming, options, error, scopes = [] }: ChallengeParts): string {
  const { oauth } = options;
  const known = scopes.length > 0 ? scopes : (oauth?.requiredScopes ?? []);
  const words = [
    'realm="anygpt"',
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(known.length === 0 ? [] : [`scope="${known.join(" ")}"`]),
    ...(oauth === undefined ? [] : [`resource_metadata="${metadataUrl(incoming, options)}"`]),
  ];
  return `Bearer ${words.join(", ")}`;
}

function metadataUrl(incoming: IncomingMessage, options: ChallengeParts["options"]): string {
  const path = /^\/mcp(?:\/gateway|\/p\/[A-Za-z0-9._-]{1,64})?(?=[?/]|$)/.exec(incoming.url ?? "")?.[0] ?? "/mcp";
  return `${baseUrl(incoming, options)}${RESOURCE_METADATA}${path}`;
}

/** Returns the protected resource metadata (RFC 9728): the authorization server and the required scopes. */
export function toResourceMetadata(resource: string, { issuer, requiredScopes }: OAuthOptions) {
  return {
    resource,
    authorization_servers: [issuer],
    ...(requiredScopes.length === 0 ? {} : { scopes_supported: requiredScopes }),
    bearer_methods_supported: ["header"],
    resource_name: "AnyGPT Discovery",
  };
}
