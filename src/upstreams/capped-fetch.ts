import type { FetchLike } from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import { networkError, unauthorized, withChallenge } from "./failures.js";
import { refusalOf, type Signed, type SignedFetchParts, sendSigned } from "./oauth/signed-fetch.js";
import type { MessageMonitor } from "./message-monitor.js";
import { createMessageEvents } from "./message-events.js";
import { messageTooLarge } from "./oversize.js";
import { createReadMessages, type ReadMessages } from "./read-messages.js";

export interface CappedFetchParts {
  readonly server: string;
  readonly maxMessageBytes: number;
  readonly monitor: MessageMonitor;
  /** Called when a notification about a changed list was ignored as part of a flood. */
  readonly onMissedChange: () => void;
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
  const readMessages = createReadMessages(parts);
  const body = response.body.pipeThrough(
    events ? createMessageEvents({ ...parts, readMessages }) : createMessageBody(parts, readMessages),
  );
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // The body may have another length now.
  headers.delete("content-length");
  return new Response(body, { status, statusText, headers });
}

/** Collects a body and checks it before it is parsed. */
function createMessageBody(
  { server, maxMessageBytes, monitor }: CappedFetchParts,
  readMessages: ReadMessages,
): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  const chunks: Uint8Array[] = [];
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= maxMessageBytes) return void chunks.push(chunk);
      monitor.count("refused");
      controller.error(messageTooLarge(server, undefined));
    },
    flush(controller) {
      const checked = readMessages.ofHttp(Buffer.concat(chunks));
      if (checked === undefined) controller.error(messageTooLarge(server, bytes));
      else if (checked.length > 0) controller.enqueue(checked);
    },
  });
}
