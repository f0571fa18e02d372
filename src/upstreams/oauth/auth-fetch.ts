// Sends requests to authorization servers through the guarded fetch: with limits, and without following redirects.
// URLs that the user wrote into the configuration may be private addresses. URLs from metadata may not, unless the
// MCP server itself runs on this machine.
import type { FetchLike } from "@modelcontextprotocol/client";
import { createGuardedFetch, type GuardedFetch, type GuardedFetchParts } from "../../util/net/guarded-fetch.js";
import { addressIn, isLocalhostName, reachOf } from "../../util/net/address-reach.js";
import { whyRefusedUrl } from "../../util/net/pinned-lookup.js";
import type { RemoteConnection } from "./settings.js";

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const BODILESS = new Set([204, 205, 304]);

export interface AuthFetchParts extends Pick<GuardedFetchParts, "lookup" | "ca" | "env"> {
  readonly server: string;
  readonly connection: RemoteConnection;
}

export interface AuthFetch {
  readonly fetch: FetchLike;
  /** The reason why the gateway must neither request nor open the URL. Undefined if it may. */
  whyRefused(url: URL): string | undefined;
  close(): void;
}

export function createAuthFetch({ server, connection, ...network }: AuthFetchParts): AuthFetch {
  const { url: configured, oauth } = connection;
  const origins = new Set(
    [configured, oauth?.issuer].flatMap((url) => (url && URL.canParse(url) ? [new URL(url).origin] : [])),
  );
  const isLocalServer = URL.canParse(configured) && isLoopback(new URL(configured));
  const mayBePrivate = (url: URL): boolean => origins.has(url.origin) || (isLocalServer && isLoopback(url));
  const guards = new Map<string, GuardedFetch>();

  const guardOf = (url: URL): GuardedFetch => {
    const allowInternal = mayBePrivate(url) ? [url.origin] : [];
    const guard = guards.get(url.origin) ?? createGuardedFetch({ server, allowInternal, ...network });
    guards.set(url.origin, guard);
    return guard;
  };

  return {
    async fetch(address, init = {}) {
      const url = new URL(address);
      const body = bodyOf(init.body);
      const stop = new AbortController();
      const response = await guardOf(url).fetch(
        {
          url,
          method: init.method ?? "GET",
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(body === undefined ? {} : { body }),
          timeoutMs: TIMEOUT_MS,
          maxTotalMs: TIMEOUT_MS,
          maxBytes: MAX_ANSWER_BYTES,
          redirect: "refuse",
        },
        init.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal,
      );
      const { status, headers } = response;
      const chunks: Buffer[] = [];
      // The body of an event stream never ends and is not needed here.
      if (headers["content-type"]?.includes("text/event-stream")) stop.abort();
      else for await (const chunk of response.body) chunks.push(chunk);
      // A status below 200 or above 599 cannot be represented in a Response. Such a status is not expected, because
      // no protocol upgrade was requested.
      const known = status >= 200 && status <= 599 ? status : 502;
      return new Response(BODILESS.has(known) ? null : Buffer.concat(chunks), {
        status: known,
        headers: withoutEncoding(headers),
      });
    },
    whyRefused: (url) => whyRefusedUrl(url, mayBePrivate(url)),
    close() {
      for (const guard of guards.values()) guard.close();
    },
  };
}

function isLoopback({ hostname }: URL): boolean {
  const address = addressIn(hostname);
  return isLocalhostName(hostname) || (address !== undefined && reachOf(address) === "loopback");
}

function bodyOf(body: RequestInit["body"]): Buffer | undefined {
  if (typeof body === "string") return Buffer.from(body);
  return body instanceof URLSearchParams ? Buffer.from(body.toString()) : undefined;
}

/** Removes the headers that described the compressed body, because the body is already decompressed. */
function withoutEncoding(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { "content-encoding": _encoding, "content-length": _length, ...rest } = headers;
  return rest;
}
