// One request from the gateway to a server, from its first message to its final response, with its timeouts.
import { DiscoveryError } from "../errors.js";
import type { CallContext } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { toMidCallError, requestError } from "./failures.js";
import { type IdleTimeout, startIdleTimeout } from "./idle-timeout.js";

export interface Limits {
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
}

export interface ExchangeRequest extends Limits {
  readonly method: string;
  readonly params: JsonObject;
  /** The `_meta` members of this request. They override those of the connection. */
  readonly envelope?: JsonObject | undefined;
  /** HTTP headers in addition to those of the connection. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** The caller that the request is made for. Absent if the request is not made for a single caller. */
  readonly caller?: RequestListener | undefined;
  /**
   * Called with every response. Returns undefined if the response is final. Otherwise the request is sent again with
   * the returned members; the idle timeout is paused until they are available.
   */
  readonly more?: ((answer: ServerResponse, ended: () => AbortSignal) => Promise<JsonObject> | undefined) | undefined;
}

/** Receives the messages that a server sends in addition to its responses. */
export interface RequestListener extends Pick<CallContext, "peer" | "onEvent"> {
  readonly actorId: string | undefined;
}

/** A call that waits for its response. */
export interface OpenCall extends RequestListener {
  /** Aborted when the call no longer waits for its response. */
  readonly ended: AbortSignal;
  /** Pauses the idle timeout until the returned function is called. */
  pause(): () => void;
}

/** A JSON-RPC response from the server: a result or an error. */
export type ServerResponse =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data: unknown };

export interface OpenRequestParts {
  readonly server: string;
  /** Sends the request with a new id. Messages for that id are passed to `request`. */
  readonly dispatch: (wanted: ExchangeRequest, request: OpenRequest) => number;
  /** Stops waiting for messages with this id. */
  readonly forget: (id: number) => void;
  /** Stops waiting for messages with this id, and notifies the server if it has not responded yet. */
  readonly cancel: (id: number, reason: string) => void;
  readonly onSettled: (request: OpenRequest) => void;
}

export class OpenRequest {
  /** The final response. Rejects with a DiscoveryError, and only if there is no response. */
  readonly answered: Promise<ServerResponse>;
  readonly call: OpenCall | undefined;
  readonly #wanted: ExchangeRequest;
  readonly #parts: OpenRequestParts;
  readonly #signal: AbortSignal | undefined;
  /** Created on demand: most calls never need it, and signals are expensive. */
  #ending: AbortController | undefined;
  readonly #idleTimeout: IdleTimeout;
  readonly #total: NodeJS.Timeout;
  #resolve: (answer: ServerResponse) => void = () => undefined;
  #reject: (reason: DiscoveryError) => void = () => undefined;
  #id = 0;
  #isSettled = false;
  /** Whether the server has already responded with a request for input. */
  #hasRounds = false;

  constructor(wanted: ExchangeRequest, parts: OpenRequestParts, signal?: AbortSignal) {
    const { timeoutMs, maxTotalMs, caller } = wanted;
    this.#wanted = wanted;
    this.#parts = parts;
    this.#signal = signal;
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const expire = (limitMs: number) => () => this.#cancel(timedOut(parts.server, limitMs));
    this.#idleTimeout = startIdleTimeout(Math.min(timeoutMs, maxTotalMs), expire(timeoutMs));
    this.#total = setTimeout(expire(maxTotalMs), maxTotalMs);
    this.call = caller && this.#toCall(caller);
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#id = parts.dispatch(wanted, this);
  }

  #toCall({ actorId, peer, onEvent }: RequestListener): OpenCall {
    const ended = (): AbortSignal => this.#ended();
    return {
      actorId,
      peer,
      onEvent,
      get ended() {
        return ended();
      },
      pause: this.#idleTimeout.pause,
    };
  }

  #ended(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.#isSettled) this.#ending.abort();
    return this.#ending.signal;
  }

  progress(params: JsonObject): void {
    this.#idleTimeout.restart();
    this.#wanted.onProgress?.(params);
  }

  answer(message: JsonObject): void {
    const answer = toAnswer(message);
    const more = this.#wanted.more?.(answer, () => this.#ended());
    if (more === undefined) this.#settle(() => this.#resolve(answer));
    else void this.#continueWith(more);
  }

  /** Reports that there will be no response. */
  fail(reason: DiscoveryError): void {
    const isBegun = this.#hasRounds && reason.executed === "no";
    this.#settle(() => this.#reject(isBegun ? toMidCallError(reason) : reason));
  }

  async #continueWith(more: Promise<JsonObject>): Promise<void> {
    const resume = this.#idleTimeout.pause();
    this.#hasRounds = true;
    this.#parts.forget(this.#id);
    try {
      const params = { ...this.#wanted.params, ...(await more) };
      if (!this.#isSettled) this.#id = this.#parts.dispatch({ ...this.#wanted, params }, this);
    } catch (error) {
      this.fail(requestError(this.#parts.server, error));
    } finally {
      resume();
    }
  }

  readonly #onAbort = (): void => this.#cancel(requestCancelled(this.#parts.server, "unknown"));

  #cancel(reason: DiscoveryError): void {
    this.#parts.cancel(this.#id, reason.message);
    this.fail(reason);
  }

  #settle(finish: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#idleTimeout.stop();
    clearTimeout(this.#total);
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#parts.forget(this.#id);
    this.#parts.onSettled(this);
    finish();
    this.#ending?.abort();
  }
}

function toAnswer(message: JsonObject): ServerResponse {
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
    hint: ["Check what the call has done before you repeat it.", { action: "raise-timeout" }],
    facts: { limitMs },
    server,
    executed: "unknown",
  });
}

export function requestCancelled(server: string, executed: "no" | "unknown"): DiscoveryError {
  return new DiscoveryError("CANCELLED", `The call to ${server} was cancelled.`, { server, executed });
}
