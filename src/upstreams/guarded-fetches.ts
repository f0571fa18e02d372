import type { FetchLike } from "@modelcontextprotocol/client";
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchParts,
  type GuardedRequest,
  type GuardedResponse,
} from "../util/net/guarded-fetch.js";
import { networkOf } from "../util/net/network.js";

/**
 * Limits for URLs that do not come from the configuration. An event stream may stay open as long as a call may last.
 */
const FOREIGN_LIMITS: Limits = { timeoutMs: 60_000, maxTotalMs: 15 * 60_000, redirect: "refuse" };
/**
 * Limits for configured URLs. As in Node's fetch, requests time out after five minutes of silence, and connections are
 * reused. The SDK follows redirects itself.
 */
const CONFIGURED_LIMITS: Limits = {
  timeoutMs: 300_000,
  maxTotalMs: 7 * 86_400_000,
  redirect: "refuse",
  reusesConnections: true,
};
const BODILESS = new Set([204, 205, 304]);

type Limits = Pick<GuardedRequest, "timeoutMs" | "maxTotalMs" | "redirect" | "reusesConnections">;

export interface FetchParts extends Pick<GuardedFetchParts, "lookup" | "env"> {
  readonly server: string;
  readonly maxMessageBytes: number;
}

/** A fetch function whose resources must be closed together with the connection that uses it. */
export interface ClosableFetch {
  readonly fetch: FetchLike;
  close(): void;
}

/** A fetch for URLs that do not come from the configuration: https only, no private addresses, no redirects. */
export function createForeignFetch({ maxMessageBytes, ...parts }: FetchParts): ClosableFetch {
  const guard = createGuardedFetch({ ...parts, allowInternal: [] });
  return toFetch(guard, { ...FOREIGN_LIMITS, maxBytes: maxMessageBytes });
}

/**
 * A fetch for a configured URL that is reached through a proxy, or whose certificate authority is named in the
 * environment. Undefined if neither applies, so that the platform's fetch can be used; in Node 20, that fetch supports
 * neither proxies nor such certificate authorities.
 */
export function createConfiguredFetch(
  url: URL,
  { maxMessageBytes: _limit, ...parts }: FetchParts,
): ClosableFetch | undefined {
  if (networkOf(parts.env ?? {}).isPlain(url)) return undefined;
  const guard = createGuardedFetch({ ...parts, allowInternal: [url.origin] });
  // The body size is not limited here: each message is limited where it is read, and a stream may contain any number of
  // messages.
  return toFetch(guard, { ...CONFIGURED_LIMITS, maxBytes: Number.POSITIVE_INFINITY });
}

function toFetch(guard: GuardedFetch, limits: Limits & Pick<GuardedRequest, "maxBytes">): ClosableFetch {
  return {
    async fetch(address, init = {}) {
      const response = await guard.fetch(
        {
          url: new URL(address),
          method: init.method ?? "GET",
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(typeof init.body === "string" ? { body: Buffer.from(init.body) } : {}),
          ...limits,
        },
        init.signal ?? undefined,
      );
      const { status } = response;
      // A status below 200 or above 599 cannot be represented in a Response. Such a status is not expected, because
      // no protocol upgrade was requested.
      const known = status >= 200 && status <= 599 ? status : 502;
      const headers = withoutEncoding(response.headers);
      return new Response(BODILESS.has(known) ? null : toStream(response), { status: known, headers });
    },
    close: () => guard.close(),
  };
}

function toStream({ body, reportActivity }: GuardedResponse): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await body.next();
      if (done === true) return controller.close();
      reportActivity();
      controller.enqueue(value);
    },
    cancel: async () => void (await body.return()),
  });
}

/** Removes the headers that described the compressed body, because the body is already decompressed. */
function withoutEncoding(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { "content-encoding": _encoding, "content-length": _length, ...rest } = headers;
  return rest;
}
