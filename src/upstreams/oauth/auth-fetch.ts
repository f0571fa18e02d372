// Requests to authorization servers come in, answers go out: through the guard, within limits, never redirected. What the
// person wrote may lie inward; what metadata says may not, unless the server itself is one on this very machine.
import type { FetchLike } from "@modelcontextprotocol/client";
import { createGuardedFetch, type GuardedFetch, type GuardedFetchParts } from "../../util/net/guarded-fetch.js";
import { addressIn, isOwnName, reachOf } from "../../util/net/inward.js";
import { whyNotAsked } from "../../util/net/pinned-lookup.js";
import type { RemoteConnection } from "./settings.js";

const TIMEOUT_MS = 15_000;
const LARGEST_ANSWER = 256 * 1024;
const BODILESS = new Set([204, 205, 304]);

export interface AuthFetchParts extends Pick<GuardedFetchParts, "lookup" | "ca" | "env"> {
  readonly server: string;
  readonly connection: RemoteConnection;
}

export interface AuthFetch {
  readonly fetch: FetchLike;
  /** Why an address is neither asked nor opened; undefined when nothing speaks against it. */
  whyNot(url: URL): string | undefined;
  close(): void;
}

export function createAuthFetch({ server, connection, ...network }: AuthFetchParts): AuthFetch {
  const { url: written, oauth } = connection;
  const origins = new Set(
    [written, oauth?.issuer].flatMap((url) => (url && URL.canParse(url) ? [new URL(url).origin] : [])),
  );
  const isAtHome = URL.canParse(written) && isLoopback(new URL(written));
  const mayLieInward = (url: URL): boolean => origins.has(url.origin) || (isAtHome && isLoopback(url));
  const guards = new Map<string, GuardedFetch>();

  const guardOf = (url: URL): GuardedFetch => {
    const allowInward = mayLieInward(url) ? [url.origin] : [];
    const guard = guards.get(url.origin) ?? createGuardedFetch({ server, allowInward, ...network });
    guards.set(url.origin, guard);
    return guard;
  };

  return {
    async fetch(address, init = {}) {
      const url = new URL(address);
      const body = bodyOf(init.body);
      const enough = new AbortController();
      const response = await guardOf(url).fetch(
        {
          url,
          method: init.method ?? "GET",
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(body === undefined ? {} : { body }),
          timeoutMs: TIMEOUT_MS,
          maxTotalMs: TIMEOUT_MS,
          maxBytes: LARGEST_ANSWER,
          redirect: "refuse",
        },
        init.signal ? AbortSignal.any([init.signal, enough.signal]) : enough.signal,
      );
      const { status, headers } = response;
      const chunks: Buffer[] = [];
      // A stream of events has no end, and nothing that is wanted here.
      if (headers["content-type"]?.includes("text/event-stream")) enough.abort();
      else for await (const chunk of response.body) chunks.push(chunk);
      // Only the head of an answer that asks for another protocol has such a status, and nobody asked for one.
      const known = status >= 200 && status <= 599 ? status : 502;
      return new Response(BODILESS.has(known) ? null : Buffer.concat(chunks), {
        status: known,
        headers: plain(headers),
      });
    },
    whyNot: (url) => whyNotAsked(url, mayLieInward(url)),
    close() {
      for (const guard of guards.values()) guard.close();
    },
  };
}

function isLoopback({ hostname }: URL): boolean {
  const address = addressIn(hostname);
  return isOwnName(hostname) || (address !== undefined && reachOf(address) === "loopback");
}

function bodyOf(body: RequestInit["body"]): Buffer | undefined {
  if (typeof body === "string") return Buffer.from(body);
  return body instanceof URLSearchParams ? Buffer.from(body.toString()) : undefined;
}

/** The body is unpacked already. */
function plain(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { "content-encoding": _encoding, "content-length": _length, ...rest } = headers;
  return rest;
}
