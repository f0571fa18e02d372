// Checks the request line and headers. Rejects requests from web pages that are not allowed, and requests that a proxy
// could parse differently.
import type { IncomingMessage, RequestListener } from "node:http";
import { httpRefusal } from "./refusal.js";

export interface Guard {
  /** Whether a `Host` header with this name (lower case, without a port) is allowed. */
  readonly isHost: (host: string) => boolean;
  /** The origins of web pages that may send requests. */
  readonly origins: ReadonlySet<string>;
}

export const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"] as const;

/** Headers that must not occur twice, because HTTP implementations disagree about which value they use. */
const SINGLE = [
  "host",
  "origin",
  "authorization",
  "content-type",
  "content-encoding",
  "idempotency-key",
  "mcp-session-id",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "last-event-id",
];

export function assertAdmitted(incoming: IncomingMessage, guard: Guard): void {
  assertPlain(incoming);
  if (!guard.isHost(hostName(incoming.headers.host ?? ""))) throw httpRefusal(403, FOREIGN_HOST);
  const { origin } = incoming.headers;
  if (origin !== undefined && !guard.origins.has(origin)) throw httpRefusal(403, FOREIGN_ORIGIN);
}

/** Makes the server close the connection after a request that another HTTP parser could read differently. */
export function closeAfterAmbiguous(listener: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    if (findFlaw(incoming) !== undefined) outgoing.shouldKeepAlive = false;
    listener(incoming, outgoing);
  };
}

function assertPlain(incoming: IncomingMessage): void {
  const flaw = findFlaw(incoming);
  if (flaw !== undefined) throw httpRefusal(400, flaw, { closes: true });
}

/** Finds ambiguous requests that Node's HTTP parser accepts. */
function findFlaw(incoming: IncomingMessage): readonly [message: string, hint: string] | undefined {
  const { httpVersion, url = "", headers, headersDistinct } = incoming;
  const encoding = headers["transfer-encoding"];
  const isPlain =
    httpVersion === "1.1" && url.startsWith("/") && (encoding === undefined || /^chunked$/i.test(encoding));
  if (!isPlain) return AMBIGUOUS;
  const duplicate = SINGLE.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
  return duplicate === undefined
    ? undefined
    : [`The header ${duplicate} occurs more than once.`, "Send the header once."];
}

/**
 * Returns the host name in a `Host` header, without the port; empty if it is not valid. The port is ignored, because it
 * may differ with port forwarding.
 */
function hostName(host: string): string {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase() ?? "";
}

const AMBIGUOUS = [
  "The request is not a plain HTTP/1.1 request.",
  "Send an HTTP/1.1 request with a path as the request target; a body needs the header Content-Length or Transfer-Encoding: chunked.",
] as const;

const FOREIGN_HOST = [
  "The host name in the header Host is not allowed.",
  "Use localhost or the address that the gateway listens on. The operator can allow other names under http.hosts.",
] as const;

const FOREIGN_ORIGIN = [
  "Web pages of the origin in the header Origin may not call this gateway.",
  "The operator can allow the origin under http.origins in the gateway's configuration.",
] as const;
