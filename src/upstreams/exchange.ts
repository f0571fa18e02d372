// Requests come in, raw results go out, many at a time over one transport. It knows JSON-RPC, progress, time limits and
// cancellation, and refuses to know methods. The SDK's own `request` is not used: in the modern era it validates results,
// so that one malformed tool fails a whole list and a new kind of content a call that was carried out.
import { AsyncLocalStorage } from "node:async_hooks";
import type { JSONRPCMessage, JSONRPCRequest, Transport } from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import type { CallerPeer, PeerAnswer } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { requestError } from "./failures.js";
import { type Answer, cancelled, type ExchangeRequest, type OpenCall, OpenRequest } from "./open-request.js";

// The SDK counts its own requests from zero over the same transport.
const FIRST_ID = 1_000_000;
/** So long a server may still be at work for a call that was given up: not every one heeds that. */
const GIVEN_UP_MS = 60_000;
/** So long after its answer a server may still say something of a call. */
const LATE_MS = 5_000;
/** Beyond this, actors whose calls were answered long ago are forgotten. */
const MOST_ANSWERED = 256;

export interface ExchangeParts {
  readonly server: string;
  readonly transport: Transport;
  /** Members that every request and notification of this connection carries in `_meta`. */
  readonly envelope: JsonObject;
  /** In the modern era over HTTP, closing a request's stream is what cancels it. */
  readonly cancelByStream: boolean;
  /**
   * `during`: the calls in whose course it may have come, those that were given up among them. `late`: the actors whose
   * calls were answered just now, of which it may speak too.
   */
  readonly onNotification: (
    method: string,
    params: JsonObject,
    during: readonly OpenCall[],
    late: readonly string[],
  ) => void;
  /** False when the request is none that is answered here: it goes on to the SDK. */
  readonly onRequest: (request: InboundRequest) => boolean;
}

/** What a server asks. */
export interface InboundRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: JsonObject;
  /** The calls in whose course it may have come, those that were given up among them. */
  readonly during: readonly OpenCall[];
}

export interface Exchange {
  /** Rejects with a DiscoveryError, and only when there is no answer. */
  request(request: ExchangeRequest, signal?: AbortSignal): Promise<Answer>;
  /** Answers what the server asked. */
  respond(id: string | number, answer: PeerAnswer): void;
  /** How many messages of any kind have come: two equal numbers mean silence between them. */
  readonly heard: number;
  /** Fails everything that waits for an answer. */
  fail(reason: DiscoveryError): void;
}

/** What is left of a call that nobody waits for. */
const OVER = { onEvent: undefined, ended: AbortSignal.abort(), pause: () => () => undefined };

/** Whose it is, and nothing else. */
function toGone({ client }: CallerPeer): CallerPeer {
  const gone = { kind: "error", code: 0, message: "The call is over." } as const;
  return { client, capabilities: {}, request: () => Promise.resolve(gone) };
}

interface Pending {
  readonly request: OpenRequest;
  /** Where closing the stream cancels. */
  readonly stream: AbortController | undefined;
}

/**
 * Over HTTP a message comes on the stream of the request that it belongs to, and nothing else tells: whatever the SDK
 * does for a request runs in its context.
 */
const streams = new AsyncLocalStorage<{ readonly of: object; readonly id: number }>();

export function createExchange(parts: ExchangeParts): Exchange {
  const { server, transport } = parts;
  const pending = new Map<number, Pending>();
  const open = new Set<OpenRequest>();
  /** The last one of each actor, or of a client whose actor is not known. */
  const givenUp = new Map<unknown, { readonly call: OpenCall; readonly timer: NodeJS.Timeout }>();
  const requestParts = { server, dispatch, cancel, forget, onSettled };
  /** When the last call of each actor ended. */
  const answeredAt = new Map<string, number>();
  let nextId = FIRST_ID;
  let heard = 0;
  takeMessages();

  function takeMessages(): void {
    const passOn = transport.onmessage;
    transport.onmessage = (message, extra) => {
      heard += 1;
      if (!take(message)) passOn?.(message, extra);
    };
  }

  /** True when the message is ours; everything else goes on to the SDK. */
  function take(message: JSONRPCMessage): boolean {
    const { id, method, params } = message as { id?: unknown; method?: string; params?: unknown };
    if (method === undefined) {
      const number = Number(id);
      if (!(number >= FIRST_ID)) return false;
      // Unknown numbers are late answers to calls that nobody waits for any more.
      pending.get(number)?.request.answer(message);
      return true;
    }
    const values = isJsonObject(params) ? params : {};
    if (typeof id === "string" || typeof id === "number") {
      return parts.onRequest({ id, method, params: values, during: during() });
    }
    if (method === "notifications/progress" && Number(values["progressToken"]) >= FIRST_ID) {
      pending.get(Number(values["progressToken"]))?.request.progress(values);
      return true;
    }
    parts.onNotification(method, values, during(), streams.getStore()?.of === pending ? [] : late());
    return method === "notifications/message";
  }

  function during(): readonly OpenCall[] {
    const stream = streams.getStore();
    if (stream?.of === pending) return [pending.get(stream.id)?.request.call ?? []].flat();
    return [
      ...[...givenUp.values()].map(({ call }) => call),
      ...[...pending.values()].flatMap(({ request }) => request.call ?? []),
    ];
  }

  function onSettled(request: OpenRequest): void {
    open.delete(request);
    const { actorId } = request.call ?? {};
    if (actorId === undefined) return;
    answeredAt.set(actorId, performance.now());
    if (answeredAt.size > MOST_ANSWERED) late();
  }

  function late(): readonly string[] {
    const since = performance.now() - LATE_MS;
    for (const [actorId, at] of answeredAt) if (at <= since) answeredAt.delete(actorId);
    return [...answeredAt.keys()];
  }

  function dispatch(wanted: ExchangeRequest, request: OpenRequest): number {
    const id = nextId++;
    const stream = parts.cancelByStream ? new AbortController() : undefined;
    pending.set(id, { request, stream });
    const fail = (reason: DiscoveryError): void => {
      if (forget(id)) request.fail(reason);
    };
    const send = (): Promise<void> =>
      transport.send(toMessage(id, wanted, parts.envelope), {
        ...(stream === undefined ? {} : { requestSignal: stream.signal }),
        ...(wanted.headers === undefined ? {} : { headers: wanted.headers }),
        onRequestStreamEnd: () => fail(brokenOff(server)),
      });
    const sent = transport.hasPerRequestStream === true ? streams.run({ of: pending, id }, send) : send();
    sent.catch((error: unknown) => fail(requestError(server, error)));
    return id;
  }

  function forget(id: number): boolean {
    return pending.delete(id);
  }

  function cancel(id: number, reason: string): void {
    const { stream, request } = pending.get(id) ?? {};
    if (!forget(id)) return;
    if (request?.call !== undefined) linger(request.call);
    if (stream !== undefined) return stream.abort();
    const meta = Object.keys(parts.envelope).length === 0 ? {} : { _meta: parts.envelope };
    const params = { requestId: id, reason, ...meta };
    transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }).catch(() => undefined);
  }

  /** Only whose it was is remembered: what it was made with can be large. */
  function linger({ actorId, peer }: OpenCall): void {
    const whose = actorId ?? peer?.client;
    if (whose === undefined) return;
    clearTimeout(givenUp.get(whose)?.timer);
    const timer = setTimeout(() => givenUp.delete(whose), GIVEN_UP_MS).unref();
    givenUp.set(whose, { call: { actorId, peer: peer && toGone(peer), ...OVER }, timer });
  }

  return {
    request(wanted, signal) {
      if (signal?.aborted) return Promise.reject(cancelled(server, "no"));
      const request = new OpenRequest(wanted, requestParts, signal);
      open.add(request);
      return request.answered;
    },
    respond(id, { kind, ...said }) {
      const answer = kind === "result" ? said : { error: said };
      transport.send({ jsonrpc: "2.0", id, ...answer } as JSONRPCMessage).catch(() => undefined);
    },
    get heard() {
      return heard;
    },
    fail(reason) {
      for (const request of open) request.fail(reason);
    },
  };
}

function toMessage(id: number, wanted: ExchangeRequest, envelope: JsonObject): JSONRPCRequest {
  const own = wanted.params["_meta"];
  const meta: JsonObject = Object.assign({}, isJsonObject(own) ? own : undefined, envelope, wanted.envelope);
  if (wanted.onProgress !== undefined) meta["progressToken"] = id;
  const isBare = Object.keys(meta).length === 0;
  return { jsonrpc: "2.0", id, method: wanted.method, params: { ...wanted.params, _meta: isBare ? undefined : meta } };
}

function brokenOff(server: string): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} ended the connection without an answer.`, {
    hint: "Check what the call has done before you repeat it.",
    server,
    executed: "unknown",
  });
}
