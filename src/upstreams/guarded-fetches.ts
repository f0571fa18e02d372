import type { FetchLike } from "@modelcontextprotocol/client";
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchParts,
  type GuardedRequest,
  type GuardedResponse,
} from "../util/net/guarded-fetch.js";
import { networkOf } from "../util/net/network.js";

/** For addresses that no person wrote down. A stream of events may be silent for as long as a call may. */
const FOREIGN_LIMITS: Limits = { timeoutMs: 60_000, maxTotalMs: 15 * 60_000, redirect: "refuse" };
/** As the platform's own fetch: five minutes of silence, and connections are used again. The SDK follows redirects itself. */
const WRITTEN_LIMITS: Limits = {
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

/** To be closed with the connection that it is for. */
export interface OwnFetch {
  readonly fetch: FetchLike;
  close(): void;
}

/** A fetch for addresses that no person wrote down: by https, never inward, never redirected. */
export function createForeignFetch({ maxMessageBytes, ...parts }: FetchParts): OwnFetch {
  const guard = createGuardedFetch({ ...parts, allowInward: [] });
  return toFetch(guard, { ...FOREIGN_LIMITS, maxBytes: maxMessageBytes });
}

/**
 * A fetch for an address of the configuration that is reached by a proxy, or has a certificate of an authority that the
 * environment names. Undefined where the platform's own fetch does: it can do neither in Node 20.
 */
export function createWrittenFetch(url: URL, { maxMessageBytes: _limit, ...parts }: FetchParts): OwnFetch | undefined {
  if (networkOf(parts.env ?? {}).isPlain(url)) return undefined;
  const guard = createGuardedFetch({ ...parts, allowInward: [url.origin] });
  // Each message is limited where it is read; a stream of them is not.
  return toFetch(guard, { ...WRITTEN_LIMITS, maxBytes: Number.POSITIVE_INFINITY });
}

function toFetch(guard: GuardedFetch, limits: Limits & Pick<GuardedRequest, "maxBytes">): OwnFetch {
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
      // Only the head of an answer that asks for another protocol has such a status, and nobody asked for one.
      const known = status >= 200 && status <= 599 ? status : 502;
      const headers = withoutPacking(response.headers);
      return new Response(BODILESS.has(known) ? null : toStream(response), { status: known, headers });
    },
    close: () => guard.close(),
  };
}

function toStream({ body, heard }: GuardedResponse): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await body.next();
      if (done === true) return controller.close();
      heard();
      controller.enqueue(value);
    },
    cancel: async () => void (await body.return()),
  });
}

/** The body is unpacked already. */
function withoutPacking(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { "content-encoding": _encoding, "content-length": _length, ...rest } = headers;
  return rest;
}
