import type { IncomingMessage } from "node:http";

type Headers = Readonly<Record<string, string>>;

const PREFLIGHT_MAX_AGE_SECONDS = 600;
const MCP_HEADERS = ["mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name", "last-event-id"];

/** Returns the CORS headers that let a web page read the response. Its origin has been checked before. */
export function corsHeaders({ headers: { origin } }: IncomingMessage): Headers {
  if (origin === undefined) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "idempotent-replayed, mcp-session-id, retry-after, www-authenticate",
    vary: "Origin",
  };
}

/** Whether the request is a CORS preflight request. Such a request carries no token. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
}

export function preflightHeaders(names: readonly string[]): Headers {
  return {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": ["authorization", "content-type", ...MCP_HEADERS, ...names]
      .join(", ")
      .toLowerCase(),
    "access-control-max-age": String(PREFLIGHT_MAX_AGE_SECONDS),
  };
}
