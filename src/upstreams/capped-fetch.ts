import type { FetchLike } from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import { createLineReader } from "../util/line-reader.js";
import { networkError, unauthorized, withChallenge } from "./failures.js";
import { refusalOf, type Signed, type SignedFetchParts, sendSigned } from "./oauth/signed-fetch.js";
import { oversizeAnswer, messageTooLarge } from "./oversize.js";

const LINE_FEED_BYTE = 0x0a;
const LINE_FEED = Buffer.from([LINE_FEED_BYTE]);
/** Size allowance for the `event:` and `id:` lines of a server-sent event, in addition to its data. */
const MAX_EVENT_HEADER_BYTES = 4096;
/**
 * A line that is longer than this multiple of `maxMessageBytes` ends the stream, because the line may be endless or
 * decompress to gigabytes.
 */
const MAX_LINE_FACTOR = 16;

export interface CappedFetchParts {
  readonly server: string;
  readonly maxMessageBytes: number;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: FetchLike | undefined;
  /** Set for a server with sign-in: adds access tokens to requests. */
  readonly signed?: SignedFetchParts | undefined;
  /** Called for every failure, because the SDK reports only the message of an error on an event stream. */
  readonly onFailure: (error: DiscoveryError) => void;
}

/**
 * A fetch that classifies failures where they occur and limits the size of each message. Bodies are counted after
 * decompression, so a small body that decompresses to gigabytes stops at the limit as well.
 */
export function createCappedFetch(parts: CappedFetchParts): FetchLike {
  const failed = (error: DiscoveryError): DiscoveryError => {
    parts.onFailure(error);
    return error;
  };
  const { server, signed } = parts;
  const send: FetchLike = async (url, init) => {
    try {
      return await (parts.fetch ?? fetch)(url, init);
    } catch (error) {
      if (init?.signal?.aborted) throw error;
      throw failed(error instanceof DiscoveryError ? error : networkError(server, error));
    }
  };
  return async (url, init) => {
    const sent: Signed =
      signed === undefined
        ? { response: await send(url, init) }
        : await sendSigned(url, init, { ...signed, send, failed });
    const { response } = sent;
    if (response.status === 401 || response.status === 403) {
      await response.body?.cancel();
      const actor = signed?.signIn.actor;
      const refusal = actor === undefined ? unauthorized(server, response.status) : refusalOf({ server, actor }, sent);
      throw failed(withChallenge(refusal, response.headers.get("www-authenticate")));
    }
    return cap(response, parts);
  };
}

function cap(response: Response, parts: CappedFetchParts): Response {
  if (response.body === null) return response;
  const events = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
  const body = response.body.pipeThrough(events ? capEvents(parts) : capBody(parts));
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

function capBody({ server, maxMessageBytes }: CappedFetchParts): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxMessageBytes) controller.error(messageTooLarge(server, undefined));
      else controller.enqueue(chunk);
    },
  });
}

/**
 * Replaces an event that is too large with an error response for its call; the stream and its other events continue.
 * The stream ends if an event with many `data:` lines is too large (no known server sends one) or if a line does not
 * end.
 */
function capEvents({ server, maxMessageBytes }: CappedFetchParts): TransformStream<Uint8Array, Uint8Array> {
  let output: TransformStreamDefaultController<Uint8Array> | undefined;
  let eventBytes = 0;
  let lineBytes = 0;
  const reader = createLineReader({
    maxBytes: maxMessageBytes,
    onLine: (line) => {
      eventBytes = line.length === 0 ? 0 : eventBytes + line.length;
      if (eventBytes > maxMessageBytes + MAX_EVENT_HEADER_BYTES) output?.error(messageTooLarge(server, eventBytes));
      else output?.enqueue(Buffer.concat([line, LINE_FEED]));
    },
    onOverflow: (overflow) => {
      const answer = oversizeAnswer(overflow);
      if (answer !== undefined) output?.enqueue(Buffer.from(`data: ${JSON.stringify(answer)}\n`));
    },
  });
  return new TransformStream({
    start(controller) {
      output = controller;
    },
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(LINE_FEED_BYTE);
      lineBytes = end === -1 ? lineBytes + chunk.byteLength : chunk.byteLength - end - 1;
      if (lineBytes > MAX_LINE_FACTOR * maxMessageBytes) controller.error(messageTooLarge(server, lineBytes));
      else reader.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    },
    flush: () => reader.end(),
  });
}
