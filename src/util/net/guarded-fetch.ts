// HTTP requests to untrusted URLs: every IP address is checked before a connection is made, redirects are followed one
// by one, and response sizes are limited after decompression.
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { ConnectionOptions } from "node:tls";
import { DiscoveryError, type Executed } from "../../errors.js";
import { connectionLost, refusedAddress, toNetworkError } from "./network-error.js";
import { networkOf } from "./network.js";
import type { ProxyEnvironment, Proxy } from "./proxy.js";
import { proxyRefused, proxyUnreached } from "./proxy-error.js";
import { proxyHeaders, servernameOf, TunnelAgent } from "./tunnel.js";
import { createPinnedLookup, type LookupAddresses, lookUpAtSystem, whyRefusedUrl } from "./pinned-lookup.js";
import { executedBy, follow, type Hop, isRedirect } from "./redirect.js";
import { isSafe } from "./safe-method.js";
import { createTimeLimit, type TimeLimit } from "./time-limit.js";
import { ACCEPTED_ENCODINGS, unpack } from "./unpack.js";

export const MAX_REDIRECTS = 5;
const IDLE_SOCKET_MS = 15_000;

export interface GuardedFetchParts {
  /** The name of the server, for messages. */
  readonly server: string;
  /** Origins that the operator configured. Only these may have internal IP addresses or use unencrypted HTTP. */
  readonly allowInternal: readonly string[];
  readonly lookup?: LookupAddresses;
  /** A certificate authority (PEM) that replaces those of the system. */
  readonly ca?: string;
  /**
   * The environment variables for proxies and certificate authorities. If omitted, no proxy is used, and the
   * authorities of Node are used.
   */
  readonly env?: ProxyEnvironment;
}

export interface GuardedRequest extends Hop {
  /**
   * The maximum time without activity, in milliseconds; then the request fails. `reportActivity` restarts this time.
   */
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
  /** The part of `maxTotalMs` that is left, if a part was spent before this request. */
  readonly leftMs?: number;
  /** The maximum size of the response body in bytes, after decompression. */
  readonly maxBytes: number;
  readonly redirect: "follow" | "refuse";
  /** Whether requests with any method may reuse connections. By default, only requests with safe methods do. */
  readonly reusesConnections?: boolean;
  /**
   * Whether a redirect to this URL of the same origin may carry credentials and a body. Redirects to other origins
   * never do.
   */
  readonly isWithin?: (url: URL) => boolean;
}

export interface GuardedResponse {
  readonly status: number;
  /** The response headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The final URL after redirects. */
  readonly url: URL;
  /** The response body. Read it to its end or stop early; both release the connection. */
  readonly body: AsyncGenerator<Buffer, void, undefined>;
  /** Restarts the inactivity timeout (`timeoutMs`). */
  reportActivity(): void;
}

export interface GuardedFetch {
  /** Sends a request. Rejects with a DiscoveryError. Errors in the response body are thrown while the body is read. */
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
  const written = new Set(parts.allowInternal);
  const pools = createPools(server);

  /**
   * TLS options. They are set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED would otherwise disable the certificate
   * check.
   */
  function tlsOptions(): TlsOptions {
    const secureContext = ca === undefined ? network.authorities() : undefined;
    return {
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
      ...(secureContext === undefined ? {} : { secureContext }),
    };
  }

  function send(hop: Hop, { mayBeInternal, isShared }: Terms, limit: TimeLimit): Promise<IncomingMessage> {
    const { url, method, headers, body } = hop;
    const why = whyRefusedUrl(url, mayBeInternal);
    if (why !== undefined) throw refusedAddress(server, why);
    const proxy = network.proxyFor(url);
    const isSecure = url.protocol === "https:";
    const tls = isSecure || proxy?.url.protocol === "https:" ? tlsOptions() : {};
    const route: Route = { proxy, tls, isSecure, isShared, mayBeInternal };
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
        agent: pools.agentFor(route),
        // Without a proxy, connect only to checked addresses. With a proxy, the proxy resolves the name.
        ...(proxy === undefined ? { lookup: createPinnedLookup(server, lookup, mayBeInternal) } : {}),
        signal: limit.signal,
      });
      request.on("socket", (socket) => {
        if (!socket.connecting) limit.sent();
        else socket.once(isEncrypted ? "secureConnect" : "connect", () => limit.sent());
      });
      // Refuse a change of protocol, which the gateway never requests.
      request.on("upgrade", (_, socket) => {
        socket.destroy();
        reject(connectionLost(server, "upgrade", undefined));
      });
      request.on("response", (message) => {
        if (!isForwarded || message.statusCode !== 407) return resolve(message);
        message.destroy();
        reject(proxyRefused(server, proxy, { status: 407, target: url.host }));
      });
      request.on("error", (error) => {
        const isUnreached = isForwarded && !limit.isSent;
        const reported = isUnreached
          ? proxyUnreached(server, proxy, error)
          : toNetworkError(server, error, limit.isSent);
        reject(limit.reason() ?? reported);
      });
      request.end(body);
    });
  }

  async function sendAlong(request: GuardedRequest, limit: TimeLimit): Promise<Answer> {
    let hop: Hop = { ...request, headers: { "accept-encoding": ACCEPTED_ENCODINGS, ...request.headers } };
    let mayBeInternal = written.has(hop.url.origin);
    let executed: Executed = "no";
    let isResent = false;
    try {
      for (let hops = 0; ; hops++) {
        // The server may close an idle connection while a request is sent on it. A request that must not run twice
        // therefore gets a new connection.
        const isShared = request.reusesConnections === true || isSafe(hop.method);
        const message = await send(hop, { mayBeInternal, isShared }, limit);
        const [status, { location }] = [message.statusCode ?? 0, message.headers];
        if (request.redirect === "refuse" || !isRedirect(status, location)) return { message, hop };
        message.destroy();
        if (executed === "no") executed = executedBy(hop.method, status);
        if (hops >= MAX_REDIRECTS) throw refusedAddress(server, `it redirects more than ${MAX_REDIRECTS} times`);
        const next = follow(server, hop, { status, location, isWithin: request.isWithin, isResent });
        if (next instanceof DiscoveryError) throw next;
        isResent ||= !isSafe(next.method);
        // After a redirect to another origin, internal addresses are no longer allowed: the server chose the target,
        // not the operator.
        mayBeInternal &&= next.url.origin === hop.url.origin;
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
          reportActivity: limit.restart,
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
  readonly mayBeInternal: boolean;
  /** Whether the request may use an existing connection. */
  readonly isShared: boolean;
}

/** How a request reaches its target, for choosing a connection pool. */
interface Route extends Terms {
  readonly proxy: Proxy | undefined;
  readonly tls: TlsOptions;
  readonly isSecure: boolean;
}

function createPools(server: string) {
  const options = { keepAlive: true, timeout: IDLE_SOCKET_MS, maxFreeSockets: 8 };
  const pools = new Map<string, HttpAgent>();

  function create({ proxy, tls, isSecure }: Route, isKeptAlive: boolean): HttpAgent {
    const pool = isKeptAlive ? options : {};
    if (proxy !== undefined && isSecure) return new TunnelAgent({ server, proxy, tls }, pool);
    const isEncrypted = isSecure || proxy?.url.protocol === "https:";
    return isEncrypted ? new HttpsAgent({ ...pool, ...tls }) : new HttpAgent(pool);
  }

  return {
    agentFor(route: Route): HttpAgent {
      if (!route.isShared) return create(route, false);
      // Separate pools: after a redirect, the same host must not get a connection that was allowed to be internal.
      const key = `${route.mayBeInternal} ${route.isSecure} ${route.proxy?.url.href ?? ""}`;
      const pool = pools.get(key) ?? create(route, true);
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
