// Sends JSON-RPC requests, many at a time over one transport, and returns unvalidated results. It implements progress,
// timeouts and cancellation for any method. The SDK's `request` is not used: since MCP 2026-07-28, it validates
// results, so that one malformed tool would make a whole tool list fail, and an unknown content type would make a call
// fail that was executed.
import { AsyncLocalStorage } from "node:async_hooks";
import type { JSONRPCMessage, JSONRPCRequest, Transport } from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import type { CallerPeer, PeerAnswer } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { requestError } from "./failures.js";
import {
  type ServerResponse,
  requestCancelled,
  type ExchangeRequest,
  type OpenCall,
  OpenRequest,
} from "./open-request.js";

// The id of the first request. The SDK numbers its own requests from zero on the same transport.
const FIRST_ID = 1_000_000;
/** How long a server may still be working on a cancelled call: not every server respects cancellation. */
const CANCELLED_MS = 60_000;
/** How long a server may still send messages about a call after it has responded to the call. */
const LATE_MS = 5_000;
/** The SDK sends at most this many requests for the handshake. A late response to them is no stray response. */
const SDK_REQUESTS = 8;
/** The number of cancelled requests whose late responses are not counted as stray. */
const MAX_UNANSWERED = 1_000;
/** Above this number of entries, entries older than `LATE_MS` are removed from `answeredAt`. */
const MAX_ANSWERED_ACTORS = 256;

export interface ExchangeParts {
  readonly server: string;
  readonly transport: Transport;
  /** The members that every request and notification on this connection contains in `_meta`. */
  readonly envelope: JsonObject;
  /**
   * True if closing the response stream of a request cancels the request, as over HTTP since MCP 2026-07-28. Otherwise
   * a notification cancels it.
   */
  readonly cancelByStream: boolean;
  /**
   * Called for a notification from the server. `during`: the calls that the notification may belong to, including
   * cancelled ones. `late`: the actors whose calls were answered a short time ago; the notification may belong to one
   * of those calls.
   */
  readonly onNotification: (
    method: string,
    params: JsonObject,
    during: readonly OpenCall[],
    late: readonly string[],
  ) => void;
  /**
   * True if the SDK sends requests on this connection too. Otherwise a response with one of its ids belongs to no
   * request.
   */
  readonly isShared: boolean;
  /** Called for a response to a request that was not sent or already has a response. */
  readonly onStrayAnswer: () => void;
  /** Called for a request from the server. Returns false to leave the request to the SDK. */
  readonly onRequest: (request: InboundRequest) => boolean;
}

/** A request from the server. */
export interface InboundRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: JsonObject;
  /** The calls that the request may belong to, including cancelled ones. */
  readonly during: readonly OpenCall[];
}

export interface RequestExchange {
  /** Sends a request to the server. Rejects with a DiscoveryError, and only if there is no response. */
  request(request: ExchangeRequest, signal?: AbortSignal): Promise<ServerResponse>;
  /** Sends the response to a request from the server. */
  respond(id: string | number, answer: PeerAnswer): void;
  /**
   * The number of received messages of any kind. If it is the same at two times, no message was received in between.
   */
  readonly received: number;
  /** Fails all pending requests. */
  fail(reason: DiscoveryError): void;
}

/** Replaces the members of a cancelled `OpenCall` other than its actor and its client. */
const ENDED_CALL = { onEvent: undefined, ended: AbortSignal.abort(), pause: () => () => undefined };

/** Keeps only the identity of the client, so that the other data of the peer can be freed. */
function toClientIdentity({ client }: CallerPeer): CallerPeer {
  const ended = { kind: "error", code: 0, message: "The call is over." } as const;
  return { client, capabilities: {}, request: () => Promise.resolve(ended) };
}

interface Pending {
  readonly request: OpenRequest;
  /** Set if the request is cancelled by closing its response stream. */
  readonly stream: AbortController | undefined;
}

/**
 * Identifies the request that a received message belongs to. Over HTTP, the message arrives on the response stream of
 * its request, and nothing else identifies the request; the SDK handles that stream in the asynchronous context of the
 * request.
 */
const streams = new AsyncLocalStorage<{ readonly of: object; readonly id: number }>();

export function createRequestExchange(parts: ExchangeParts): RequestExchange {
  const { server, transport } = parts;
  const pending = new Map<number, Pending>();
  const open = new Set<OpenRequest>();
  /** Cancellation notifications that are being sent, by request id. */
  const cancellations = new Map<number, Promise<void>>();
  /** The last cancelled call by actor or, if its actor is unknown, by client. */
  const cancelled = new Map<unknown, { readonly call: OpenCall; readonly timer: NodeJS.Timeout }>();
  /** The requests that ended without a response. A response to them may still arrive. */
  const unanswered = new Set<number>();
  const requestParts = { server, dispatch, cancel, forget, onSettled };
  /** When the last call of each actor ended, on the clock of `performance.now()`. */
  const answeredAt = new Map<string, number>();
  let nextId = FIRST_ID;
  let received = 0;
  interceptMessages();

  function interceptMessages(): void {
    const passOn = transport.onmessage;
    transport.onmessage = (message, extra) => {
      received += 1;
      if (!handle(message)) passOn?.(message, extra);
    };
  }

  /** Returns false if the message must be passed to the SDK. */
  function handle(message: JSONRPCMessage): boolean {
    const { id, method, params } = message as { id?: unknown; method?: string; params?: unknown };
    if (method === undefined) {
      const number = Number(id);
      if (!(number >= FIRST_ID)) {
        if (parts.isShared || (number >= 0 && number < SDK_REQUESTS)) return false;
        parts.onStrayAnswer();
        return true;
      }
      const request = pending.get(number)?.request;
      if (request !== undefined) request.answer(message);
      else if (!unanswered.delete(number)) parts.onStrayAnswer();
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
      ...[...cancelled.values()].map(({ call }) => call),
      ...[...pending.values()].flatMap(({ request }) => request.call ?? []),
    ];
  }

  function onSettled(request: OpenRequest): void {
    open.delete(request);
    const { actorId } = request.call ?? {};
    if (actorId === undefined) return;
    answeredAt.set(actorId, performance.now());
    if (answeredAt.size > MAX_ANSWERED_ACTORS) late();
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
        onRequestStreamEnd: () => fail(closedWithoutAnswer(server)),
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
    rememberUnanswered(id);
    if (request?.call !== undefined) rememberCancelled(request.call);
    if (stream !== undefined) return stream.abort();
    const meta = Object.keys(parts.envelope).length === 0 ? {} : { _meta: parts.envelope };
    const params = { requestId: id, reason, ...meta };
    const sent = transport
      .send({ jsonrpc: "2.0", method: "notifications/cancelled", params })
      .catch(() => undefined)
      .finally(() => cancellations.delete(id));
    cancellations.set(id, sent);
  }

  function rememberUnanswered(id: number): void {
    unanswered.add(id);
    if (unanswered.size <= MAX_UNANSWERED) return;
    const [oldest] = unanswered;
    if (oldest !== undefined) unanswered.delete(oldest);
  }

  /** Remembers only the actor and the client, because the arguments of the call can be large. */
  function rememberCancelled({ actorId, peer }: OpenCall): void {
    const key = actorId ?? peer?.client;
    if (key === undefined) return;
    clearTimeout(cancelled.get(key)?.timer);
    const timer = setTimeout(() => cancelled.delete(key), CANCELLED_MS).unref();
    cancelled.set(key, { call: { actorId, peer: peer && toClientIdentity(peer), ...ENDED_CALL }, timer });
  }

  return {
    request(wanted, signal) {
      if (signal?.aborted) return Promise.reject(requestCancelled(server, "no"));
      const request = new OpenRequest(wanted, requestParts, signal);
      open.add(request);
      return request.answered;
    },
    respond(id, { kind, ...body }) {
      const answer = kind === "result" ? body : { error: body };
      const send = (): Promise<void> =>
        transport.send({ jsonrpc: "2.0", id, ...answer } as JSONRPCMessage).catch(() => undefined);
      // Over HTTP, this response and the cancellation of the call are separate requests. The response is sent after a
      // pending cancellation: if the response arrived first, the tool could continue with it before the tool is
      // cancelled.
      const stream = streams.getStore();
      const cancellation = stream?.of === pending ? cancellations.get(stream.id) : undefined;
      void (cancellation === undefined ? send() : cancellation.then(send));
    },
    get received() {
      return received;
    },
    fail(reason) {
      for (const request of open) request.fail(reason);
    },
  };
}

function toMessage(id: number, wanted: ExchangeRequest, envelope: JsonObject): JSONRPCRequest {
  const callerMeta = wanted.params["_meta"];
  const meta: JsonObject = Object.assign(
    {},
    isJsonObject(callerMeta) ? callerMeta : undefined,
    envelope,
    wanted.envelope,
  );
  if (wanted.onProgress !== undefined) meta["progressToken"] = id;
  const isBare = Object.keys(meta).length === 0;
  return { jsonrpc: "2.0", id, method: wanted.method, params: { ...wanted.params, _meta: isBare ? undefined : meta } };
}

function closedWithoutAnswer(server: string): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} closed the connection without an answer.`, {
    hint: "Check what the call has done before you repeat it.",
    server,
    executed: "unknown",
  });
}
