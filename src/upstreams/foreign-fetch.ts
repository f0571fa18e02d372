import type { FetchLike } from "@modelcontextprotocol/client";
import { createGuardedFetch, type GuardedFetchParts, type GuardedResponse } from "../util/net/guarded-fetch.js";

/** A stream of events may be silent for as long as a call may. */
const LONGEST_SILENCE_MS = 60_000;
const LONGEST_MS = 15 * 60_000;
const BODILESS = new Set([204, 205, 304]);

export interface ForeignFetchParts extends Pick<GuardedFetchParts, "lookup"> {
  readonly server: string;
  readonly maxMessageBytes: number;
}

export interface ForeignFetch {
  readonly fetch: FetchLike;
  close(): void;
}

/** A fetch for addresses that no person wrote down: by https, never inward, never redirected. */
export function createForeignFetch({ server, maxMessageBytes, ...network }: ForeignFetchParts): ForeignFetch {
  const guard = createGuardedFetch({ server, allowInward: [], ...network });
  return {
    async fetch(address, init = {}) {
      const response = await guard.fetch(
        {
          url: new URL(address),
          method: init.method ?? "GET",
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(typeof init.body === "string" ? { body: Buffer.from(init.body) } : {}),
          timeoutMs: LONGEST_SILENCE_MS,
          maxTotalMs: LONGEST_MS,
          maxBytes: maxMessageBytes,
          redirect: "refuse",
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
