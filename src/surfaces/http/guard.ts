// Checks the head of a request and rejects requests that may come from a web page or that proxies could parse differently.
import type { IncomingMessage, RequestListener } from "node:http";
import { httpRefusal } from "./refusal.js";

export interface Guard {
  /** Whether the gateway may be addressed by this host name, given in lower case and without a port. */
  readonly isHost: (host: string) => boolean;
  /** Origins of web pages that may call. */
  readonly origins: ReadonlySet<string>;
}

export const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"] as const;

/** Headers that must not occur twice, because implementations disagree about which value counts. */
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

/** Closes the connection after a request that another parser could read differently. */
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

/** The parser already rejects ambiguous requests; this finds the ones that it accepts. */
function findFlaw(incoming: IncomingMessage): readonly [message: string, hint: string] | undefined {
  const { httpVersion, url = "", headers, headersDistinct } = incoming;
  const encoding = headers["transfer-encoding"];
  const isPlain =
    httpVersion === "1.1" && url.startsWith("/") && (encoding === undefined || /^chunked$/i.test(encoding));
  if (!isPlain) return AMBIGUOUS;
  const duplicate = SINGLE.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
  return duplicate === undefined ? undefined : [`The header ${duplicate} occurs more than once.`, "Send it once."];
}

/** The host without the port, which may differ if the port is forwarded; empty if it is not a valid host. */
function hostName(host: string): string {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase() ?? "";
}

const AMBIGUOUS = [
  "The request is not a plain HTTP/1.1 request.",
  "Send HTTP/1.1 with a path as its target and a body that is chunked or has a length.",
] as const;

const FOREIGN_HOST = [
  "The header Host has a name that is not allowed.",
  "Use localhost or the address that the gateway listens on. The operator can allow other names under http.hosts.",
] as const;

const FOREIGN_ORIGIN = [
  "The web page in the header Origin may not call this gateway.",
  "The operator can allow the page under http.origins in the gateway's configuration.",
] as const;
