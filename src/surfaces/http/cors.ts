import type { IncomingMessage } from "node:http";

type Headers = Readonly<Record<string, string>>;

const LONGEST_MEMORY_SECONDS = 600;
const MCP_HEADERS = ["mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name", "last-event-id"];

/** What lets the page that asks read the answer. The origin has been found among those that may. */
export function corsHeaders({ headers: { origin } }: IncomingMessage): Headers {
  if (origin === undefined) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "idempotent-replayed, mcp-session-id, retry-after, www-authenticate",
    vary: "Origin",
  };
}

/** A browser asks whether it may ask. It sends no token with that. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
}

export function preflightHeaders(names: readonly string[]): Headers {
  return {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": ["authorization", "content-type", ...MCP_HEADERS, ...names]
      .join(", ")
      .toLowerCase(),
    "access-control-max-age": String(LONGEST_MEMORY_SECONDS),
  };
}
