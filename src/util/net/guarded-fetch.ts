// A request to anywhere comes in, its answer goes out, if the place may be asked at all: addresses are checked where they are
// connected to, redirects one by one, sizes after unpacking. It knows no API and keeps nothing of an answer.
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { DiscoveryError, type Executed } from "../../errors.js";
import { brokenOff, refusedAddress, toNetworkError } from "./network-error.js";
import { createPinnedLookup, type Lookup, lookUpAtSystem, whyNotAsked } from "./pinned-lookup.js";
import { executedBy, follow, type Hop, isRedirect } from "./redirect.js";
import { isSafe } from "./safe-method.js";
import { createTimeLimit, type TimeLimit } from "./time-limit.js";
import { ACCEPTED_ENCODINGS, unpack } from "./unpack.js";

export const MOST_REDIRECTS = 5;
const IDLE_SOCKET_MS = 15_000;

export interface GuardedFetchParts {
  /** Who is asked, for messages. */
  readonly server: string;
  /** Origins that the person wrote into the configuration: these alone may lie inward or do without TLS. */
  readonly allowInward: readonly string[];
  readonly lookup?: Lookup;
  /** A certificate authority in place of the system's. */
  readonly ca?: string;
}

export interface GuardedRequest extends Hop {
  /** Longest silence, from the start to the last byte unless `heard` is called in between. */
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
  /** What is left of it now, where some of it was used up before. */
  readonly leftMs?: number;
  /** Largest answer, unpacked. */
  readonly maxBytes: number;
  readonly redirect: "follow" | "refuse";
  /** Where a redirect may take credentials and bodies; none is followed out of the origin then. */
  readonly isWithin?: (url: URL) => boolean;
}

export interface GuardedResponse {
  readonly status: number;
  /** By name in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the answer came from in the end. */
  readonly url: URL;
  /** To be read to its end or left early; both free the connection. */
  readonly body: AsyncGenerator<Buffer, void, undefined>;
  /** Something came that counts as a sign of life. */
  heard(): void;
}

export interface GuardedFetch {
  /** Rejects with a DiscoveryError, and only before any part of an answer has come. */
  fetch(request: GuardedRequest, signal?: AbortSignal): Promise<GuardedResponse>;
  close(): void;
}

interface Answer {
  readonly message: IncomingMessage;
  readonly hop: Hop;
}

export function createGuardedFetch(parts: GuardedFetchParts): GuardedFetch {
  const { server, lookup = lookUpAtSystem, ca } = parts;
  const written = new Set(parts.allowInward);
  // Both checks would be off by NODE_TLS_REJECT_UNAUTHORIZED and --insecure-http-parser.
  const tls = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  const strict = { insecureHTTPParser: false };
  const pool = { keepAlive: true, timeout: IDLE_SOCKET_MS, maxFreeSockets: 8 };
  const createAgents = () => ({ http: new HttpAgent(pool), https: new HttpsAgent({ ...pool, ...tls }) });
  // A connection that leads inward must not be found by a redirect to the same name.
  const [trusted, others] = [createAgents(), createAgents()];

  function send(hop: Hop, mayBeInward: boolean, limit: TimeLimit): Promise<IncomingMessage> {
    const { url, method, headers, body } = hop;
    const why = whyNotAsked(url, mayBeInward);
    if (why !== undefined) return Promise.reject(refusedAddress(server, why));
    const isSecure = url.protocol === "https:";
    // A connection that lay idle may be closed under the request. What must not run twice gets one of its own.
    const isShared = isSafe(method);
    return new Promise((resolve, reject) => {
      const request = (isSecure ? requestHttps : requestHttp)(url, {
        ...(isSecure ? tls : {}),
        ...strict,
        method,
        headers: { ...headers, ...(body === undefined ? {} : { "content-length": String(body.byteLength) }) },
        agent: isShared && (mayBeInward ? trusted : others)[isSecure ? "https" : "http"],
        lookup: createPinnedLookup(server, lookup, mayBeInward),
        signal: limit.signal,
      });
      request.on("socket", (socket) => {
        if (!socket.connecting) limit.sent();
        else socket.once(isSecure ? "secureConnect" : "connect", () => limit.sent());
      });
      // Nobody asked to speak another protocol.
      request.on("upgrade", (_, socket) => {
        socket.destroy();
        reject(brokenOff(server, "upgrade", undefined));
      });
      request.on("response", resolve);
      request.on("error", (error) => reject(limit.reason() ?? toNetworkError(server, error, limit.isSent)));
      request.end(body);
    });
  }

  async function sendAlong(request: GuardedRequest, limit: TimeLimit): Promise<Answer> {
    let hop: Hop = { ...request, headers: { "accept-encoding": ACCEPTED_ENCODINGS, ...request.headers } };
    let mayBeInward = written.has(hop.url.origin);
    let executed: Executed = "no";
    let isResent = false;
    try {
      for (let hops = 0; ; hops++) {
        const message = await send(hop, mayBeInward, limit);
        const [status, { location }] = [message.statusCode ?? 0, message.headers];
        if (request.redirect === "refuse" || !isRedirect(status, location)) return { message, hop };
        message.destroy();
        if (executed === "no") executed = executedBy(hop.method, status);
        if (hops >= MOST_REDIRECTS) throw refusedAddress(server, `it redirects more than ${MOST_REDIRECTS} times`);
        const next = follow(server, hop, { status, location, isWithin: request.isWithin, isResent });
        if (next instanceof DiscoveryError) throw next;
        isResent ||= !isSafe(next.method);
        // What is not the place that the person wrote was chosen by somebody else.
        mayBeInward &&= next.url.origin === hop.url.origin;
        hop = next;
      }
    } catch (error) {
      throw toNetworkError(server, error, limit.isSent).about({ executed });
    }
  }

  async function* read(message: IncomingMessage, maxBytes: number, limit: TimeLimit): GuardedResponse["body"] {
    const onAbort = (): void => void message.destroy(limit.reason());
    try {
      limit.signal.addEventListener("abort", onAbort, { once: true });
      yield* unpack(message, { server, maxBytes });
    } catch (error) {
      throw limit.reason() ?? error;
    } finally {
      limit.end();
    }
  }

  return {
    async fetch(request, signal) {
      const limit = createTimeLimit({ server, ...request }, signal);
      try {
        limit.signal.throwIfAborted();
        const { message, hop } = await sendAlong(request, limit);
        return {
          status: message.statusCode ?? 0,
          headers: toHeaders(message),
          url: hop.url,
          body: read(message, request.maxBytes, limit),
          heard: limit.restart,
        };
      } catch (error) {
        limit.end();
        throw error;
      }
    },
    close() {
      for (const { http, https } of [trusted, others]) {
        http.destroy();
        https.destroy();
      }
    },
  };
}

function toHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}
