// The head of a request comes in; whatever could be another one's than a program's on this machine is refused.
import type { IncomingMessage, RequestListener } from "node:http";
import { refuse } from "./refusal.js";

export interface Guard {
  /** Whether this gateway may be addressed by the name, which is in lower case and without a port. */
  readonly isHost: (host: string) => boolean;
  /** Web pages that may call. */
  readonly origins: ReadonlySet<string>;
}

export const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"] as const;

/** Headers that must not be there twice: which one counts is not agreed upon. */
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
  if (!guard.isHost(hostName(incoming.headers.host ?? ""))) throw refuse(403, FOREIGN_HOST);
  const { origin } = incoming.headers;
  if (origin !== undefined && !guard.origins.has(origin)) throw refuse(403, FOREIGN_ORIGIN);
}

/** A request that is not plain is the last of its connection, whoever refuses it. */
export function lastWhenNotPlain(listener: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    if (findFlaw(incoming) !== undefined) outgoing.shouldKeepAlive = false;
    listener(incoming, outgoing);
  };
}

function assertPlain(incoming: IncomingMessage): void {
  const flaw = findFlaw(incoming);
  if (flaw !== undefined) throw refuse(400, flaw, { closes: true });
}

/** The parser has refused already what two readers could understand differently; this is what it lets pass. */
function findFlaw(incoming: IncomingMessage): readonly [message: string, hint: string] | undefined {
  const { httpVersion, url = "", headers, headersDistinct } = incoming;
  const encoding = headers["transfer-encoding"];
  const isPlain =
    httpVersion === "1.1" && url.startsWith("/") && (encoding === undefined || /^chunked$/i.test(encoding));
  if (!isPlain) return NOT_PLAIN;
  const double = SINGLE.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
  return double === undefined ? undefined : [`The header ${double} is there more than once.`, "Send it once."];
}

/** Without the port, which may be another one's where a port is forwarded; empty when it is no host at all. */
function hostName(host: string): string {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase() ?? "";
}

const NOT_PLAIN = [
  "The request is no plain HTTP/1.1 request.",
  "Send HTTP/1.1 with a path as its target and a body that is chunked or has a length.",
] as const;

const FOREIGN_HOST = [
  "The gateway is not known by the name in the header Host.",
  "Address it as localhost or by the address it listens on; a person can name others under http.hosts in its configuration.",
] as const;

const FOREIGN_ORIGIN = [
  "The web page in the header Origin may not call this gateway.",
  "A person can name the page under http.origins in the gateway's configuration.",
] as const;
