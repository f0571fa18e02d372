// A request to anywhere comes in, its answer goes out, if the place may be asked at all: addresses are checked where they are
// connected to, redirects one by one, sizes after unpacking. It knows no API and keeps nothing of an answer.
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { ConnectionOptions } from "node:tls";
import { DiscoveryError, type Executed } from "../../errors.js";
import { brokenOff, refusedAddress, toNetworkError } from "./network-error.js";
import { networkOf } from "./network.js";
import type { Environment, Proxy } from "./proxy.js";
import { proxyRefused, proxyUnreached } from "./proxy-error.js";
import { proxyHeaders, servernameOf, TunnelAgent } from "./tunnel.js";
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
  /** The variables that name a proxy and certificate authorities. Without it neither is used. */
  readonly env?: Environment;
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
  /** Whatever the method. Otherwise only what can be sent twice goes over a connection that was used before. */
  readonly reusesConnections?: boolean;
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
  const { server, lookup = lookUpAtSystem, ca, env = {} } = parts;
  const network = networkOf(env);
  const written = new Set(parts.allowInward);
  const pools = createPools(server);

  /** Both checks would be off by NODE_TLS_REJECT_UNAUTHORIZED and --insecure-http-parser. */
  function tlsOptions(): TlsOptions {
    const secureContext = ca === undefined ? network.authorities() : undefined;
    return {
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
      ...(secureContext === undefined ? {} : { secureContext }),
    };
  }

  function send(hop: Hop, { mayBeInward, isShared }: Terms, limit: TimeLimit): Promise<IncomingMessage> {
    const { url, method, headers, body } = hop;
    const why = whyNotAsked(url, mayBeInward);
    if (why !== undefined) throw refusedAddress(server, why);
    const proxy = network.proxyFor(url);
    const isSecure = url.protocol === "https:";
    const tls = isSecure || proxy?.url.protocol === "https:" ? tlsOptions() : {};
    const way: Way = { proxy, tls, isSecure, isShared, mayBeInward };
    return new Promise((resolve, reject) => {
      const isForwarded = proxy !== undefined && !isSecure;
      const isEncrypted = isForwarded ? proxy.url.protocol === "https:" : isSecure;
      const request = (isEncrypted ? requestHttps : requestHttp)(isForwarded ? proxy.url : url, {
        ...(isEncrypted ? tls : {}),
        ...(isEncrypted && isForwarded ? { servername: servernameOf(proxy) } : {}),
        insecureHTTPParser: false,
        method,
        headers: {
          ...headers,
          ...(body === undefined ? {} : { "content-length": String(body.byteLength) }),
          ...(isForwarded ? { host: url.host, ...proxyHeaders(proxy) } : {}),
        },
        ...(isForwarded ? { path: withoutFragment(url) } : {}),
        agent: pools.agentFor(way),
        // The proxy looks the name up: an address cannot be pinned there.
        ...(proxy === undefined ? { lookup: createPinnedLookup(server, lookup, mayBeInward) } : {}),
        signal: limit.signal,
      });
      request.on("socket", (socket) => {
        if (!socket.connecting) limit.sent();
        else socket.once(isEncrypted ? "secureConnect" : "connect", () => limit.sent());
      });
      // Nobody asked to speak another protocol.
      request.on("upgrade", (_, socket) => {
        socket.destroy();
        reject(brokenOff(server, "upgrade", undefined));
      });
      request.on("response", (message) => {
        if (!isForwarded || message.statusCode !== 407) return resolve(message);
        message.destroy();
        reject(proxyRefused(server, proxy, { status: 407, target: url.host }));
      });
      request.on("error", (error) => {
        const isUnreached = isForwarded && !limit.isSent;
        const told = isUnreached ? proxyUnreached(server, proxy, error) : toNetworkError(server, error, limit.isSent);
        reject(limit.reason() ?? told);
      });
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
        // A connection that lay idle may be closed under the request. What must not run twice gets one of its own.
        const isShared = request.reusesConnections === true || isSafe(hop.method);
        const message = await send(hop, { mayBeInward, isShared }, limit);
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
    close: () => pools.close(),
  };
}

type TlsOptions = Pick<ConnectionOptions, "rejectUnauthorized" | "ca" | "secureContext">;

interface Terms {
  readonly mayBeInward: boolean;
  /** It may use a connection that was used before. */
  readonly isShared: boolean;
}

/** How a request gets to where it is going. */
interface Way extends Terms {
  readonly proxy: Proxy | undefined;
  readonly tls: TlsOptions;
  readonly isSecure: boolean;
}

function createPools(server: string) {
  const options = { keepAlive: true, timeout: IDLE_SOCKET_MS, maxFreeSockets: 8 };
  const pools = new Map<string, HttpAgent>();

  function create({ proxy, tls, isSecure }: Way, isKept: boolean): HttpAgent {
    const pool = isKept ? options : {};
    if (proxy !== undefined && isSecure) return new TunnelAgent({ server, proxy, tls }, pool);
    const isEncrypted = isSecure || proxy?.url.protocol === "https:";
    return isEncrypted ? new HttpsAgent({ ...pool, ...tls }) : new HttpAgent(pool);
  }

  return {
    agentFor(way: Way): HttpAgent {
      if (!way.isShared) return create(way, false);
      // A connection that leads inward must not be found by a redirect to the same name.
      const key = `${way.mayBeInward} ${way.isSecure} ${way.proxy?.url.href ?? ""}`;
      const pool = pools.get(key) ?? create(way, true);
      pools.set(key, pool);
      return pool;
    },
    close() {
      for (const pool of pools.values()) pool.destroy();
    },
  };
}

function withoutFragment(url: URL): string {
  return url.href.slice(0, url.href.length - url.hash.length);
}

function toHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}
