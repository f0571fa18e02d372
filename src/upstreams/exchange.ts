// Requests come in, raw results go out, many at a time over one transport. It knows JSON-RPC, progress, time limits and
// cancellation, and refuses to know methods. The SDK's own `request` is not used: in the modern era it validates results,
// so that one malformed tool fails a whole list and a new kind of content a call that was carried out.
import type { JSONRPCMessage, JSONRPCRequest, Transport } from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { requestError } from "./failures.js";

// The SDK counts its own requests from zero over the same transport.
const FIRST_ID = 1_000_000;

export interface ExchangeParts {
  readonly server: string;
  readonly transport: Transport;
  /** Members that every request and notification of this connection carries in `_meta`. */
  readonly envelope: JsonObject;
  /** In the modern era over HTTP, closing a request's stream is what cancels it. */
  readonly cancelByStream: boolean;
  readonly onNotification: (method: string, params: JsonObject) => void;
}

export interface Limits {
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
}

export interface ExchangeRequest extends Limits {
  readonly method: string;
  readonly params: JsonObject;
  readonly onProgress?: (params: JsonObject) => void;
}

/** What the server said. An error is an answer too. */
export type Answer =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data: unknown };

export interface Exchange {
  /** Rejects with a DiscoveryError, and only when there is no answer. */
  request(request: ExchangeRequest, signal?: AbortSignal): Promise<Answer>;
  /** How many messages of any kind have come: two equal numbers mean silence between them. */
  readonly heard: number;
  /** Fails everything that waits for an answer. */
  fail(reason: DiscoveryError): void;
}

interface Pending {
  readonly answer: (message: JsonObject) => void;
  readonly progress: (params: JsonObject) => void;
  readonly fail: (reason: DiscoveryError) => void;
}

export function createExchange(parts: ExchangeParts): Exchange {
  const { server, transport } = parts;
  const pending = new Map<number, Pending>();
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
      pending.get(number)?.answer(message);
      return true;
    }
    if (id !== undefined) return false;
    const values = isJsonObject(params) ? params : {};
    if (method === "notifications/progress" && Number(values["progressToken"]) >= FIRST_ID) {
      pending.get(Number(values["progressToken"]))?.progress(values);
      return true;
    }
    parts.onNotification(method, values);
    return method === "notifications/message";
  }

  function cancelUpstream(id: number, reason: string): void {
    if (parts.cancelByStream) return;
    const meta = Object.keys(parts.envelope).length === 0 ? {} : { _meta: parts.envelope };
    const params = { requestId: id, reason, ...meta };
    transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }).catch(() => undefined);
  }

  function request(wanted: ExchangeRequest, signal?: AbortSignal): Promise<Answer> {
    if (signal?.aborted) return Promise.reject(cancelled(server, "no"));
    const id = nextId++;
    return new Promise((resolve, reject) => {
      const stream = parts.cancelByStream ? new AbortController() : undefined;
      const giveUp = (reason: DiscoveryError): void => {
        cancelUpstream(id, reason.message);
        settle(() => reject(reason));
        stream?.abort();
      };
      const onAbort = (): void => giveUp(cancelled(server, "unknown"));
      const idle = setTimeout(
        () => giveUp(timedOut(server, wanted.timeoutMs)),
        Math.min(wanted.timeoutMs, wanted.maxTotalMs),
      );
      const total = setTimeout(() => giveUp(timedOut(server, wanted.maxTotalMs)), wanted.maxTotalMs);
      const settle = (finish: () => void): void => {
        clearTimeout(idle);
        clearTimeout(total);
        signal?.removeEventListener("abort", onAbort);
        if (pending.delete(id)) finish();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      const fail = (reason: DiscoveryError): void => settle(() => reject(reason));
      pending.set(id, {
        fail,
        progress: (params) => {
          idle.refresh();
          wanted.onProgress?.(params);
        },
        answer: (message) => settle(() => resolve(toAnswer(message))),
      });
      transport
        .send(toMessage(id, wanted, parts.envelope), {
          ...(stream === undefined ? {} : { requestSignal: stream.signal }),
          onRequestStreamEnd: () => fail(brokenOff(server)),
        })
        .catch((error: unknown) => fail(requestError(server, error)));
    });
  }

  return {
    request,
    get heard() {
      return heard;
    },
    fail(reason) {
      for (const waiting of pending.values()) waiting.fail(reason);
    },
  };
}

function toMessage(id: number, wanted: ExchangeRequest, envelope: JsonObject): JSONRPCRequest {
  const own = isJsonObject(wanted.params["_meta"]) ? wanted.params["_meta"] : {};
  const token = wanted.onProgress === undefined ? {} : { progressToken: id };
  const meta: JsonObject = { ...own, ...envelope, ...token };
  const params: JsonObject = { ...wanted.params, _meta: meta };
  if (Object.keys(meta).length === 0) delete params["_meta"];
  return { jsonrpc: "2.0", id, method: wanted.method, params };
}

function toAnswer(message: JsonObject): Answer {
  const { error } = message;
  if (error === undefined) return { kind: "result", result: message["result"] };
  const { code, message: text, data } = isJsonObject(error) ? error : {};
  return {
    kind: "error",
    code: typeof code === "number" ? code : 0,
    message: typeof text === "string" ? text : "",
    data,
  };
}

function timedOut(server: string, limitMs: number): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_TIMEOUT", `${server} did not answer within ${limitMs / 1000} s.`, {
    hint: "Check what the call has done before you repeat it, or allow it more time.",
    facts: { limitMs },
    server,
    executed: "unknown",
  });
}

function cancelled(server: string, executed: "no" | "unknown"): DiscoveryError {
  return new DiscoveryError("CANCELLED", `The call to ${server} was cancelled.`, { server, executed });
}

function brokenOff(server: string): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} ended the connection without an answer.`, {
    hint: "Check what the call has done before you repeat it.",
    server,
    executed: "unknown",
  });
}
