// One request of ours, from its first message to its last answer: who waits for it, and for how long.
import { DiscoveryError } from "../errors.js";
import type { CallerPeer, CallEvent } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { midCall, requestError } from "./failures.js";
import { type SilenceClock, startSilenceClock } from "./silence-clock.js";

export interface Limits {
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
}

export interface ExchangeRequest extends Limits {
  readonly method: string;
  readonly params: JsonObject;
  /** What the envelope says of this very request, in place of what it says of the connection. */
  readonly envelope?: JsonObject | undefined;
  /** Over HTTP, beside those of the connection. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** For whom it is made; left out when it is for nobody in particular. */
  readonly caller?: Caller | undefined;
  /**
   * Looks at every answer. Undefined: it is the last. Otherwise the request is made again with these members more, and
   * the silence until they are known is not the server's.
   */
  readonly more?: ((answer: Answer, ended: () => AbortSignal) => Promise<JsonObject> | undefined) | undefined;
}

/** Who hears of what a server says beside its answers. */
export interface Caller {
  readonly actorId: string | undefined;
  readonly peer: CallerPeer | undefined;
  readonly onEvent: ((event: CallEvent) => void) | undefined;
}

/** A call that waits for its answer. */
export interface OpenCall extends Caller {
  /** It waits no more. */
  readonly ended: AbortSignal;
  /** Stops the clock of the server's silence until the result is called. */
  pause(): () => void;
}

/** What the server said. An error is an answer too. */
export type Answer =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data: unknown };

export interface OpenRequestParts {
  readonly server: string;
  /** Sends it under a number of its own; what comes under that number is given to `request`. */
  readonly dispatch: (wanted: ExchangeRequest, request: OpenRequest) => number;
  /** Nothing is awaited under this number any more. */
  readonly forget: (id: number) => void;
  /** The same, and the server hears of it if it has not answered yet. */
  readonly cancel: (id: number, reason: string) => void;
  readonly onSettled: (request: OpenRequest) => void;
}

export class OpenRequest {
  /** Rejects with a DiscoveryError, and only when there is no answer. */
  readonly answered: Promise<Answer>;
  readonly call: OpenCall | undefined;
  readonly #wanted: ExchangeRequest;
  readonly #parts: OpenRequestParts;
  readonly #signal: AbortSignal | undefined;
  /** Made when somebody wants to hear of the end: most calls are asked nothing, and signals are dear. */
  #ending: AbortController | undefined;
  readonly #clock: SilenceClock;
  readonly #total: NodeJS.Timeout;
  #resolve: (answer: Answer) => void = () => undefined;
  #reject: (reason: DiscoveryError) => void = () => undefined;
  #id = 0;
  #isSettled = false;
  /** The server has begun with it. */
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
    const expire = (limitMs: number) => () => this.#giveUp(timedOut(parts.server, limitMs));
    this.#clock = startSilenceClock(Math.min(timeoutMs, maxTotalMs), expire(timeoutMs));
    this.#total = setTimeout(expire(maxTotalMs), maxTotalMs);
    this.call = caller && this.#toCall(caller);
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#id = parts.dispatch(wanted, this);
  }

  #toCall({ actorId, peer, onEvent }: Caller): OpenCall {
    const ended = (): AbortSignal => this.#ended();
    return {
      actorId,
      peer,
      onEvent,
      get ended() {
        return ended();
      },
      pause: this.#clock.pause,
    };
  }

  #ended(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.#isSettled) this.#ending.abort();
    return this.#ending.signal;
  }

  progress(params: JsonObject): void {
    this.#clock.restart();
    this.#wanted.onProgress?.(params);
  }

  answer(message: JsonObject): void {
    const answer = toAnswer(message);
    const more = this.#wanted.more?.(answer, () => this.#ended());
    if (more === undefined) this.#settle(() => this.#resolve(answer));
    else void this.#goOn(more);
  }

  /** There will be no answer. */
  fail(reason: DiscoveryError): void {
    const isBegun = this.#hasRounds && reason.executed === "no";
    this.#settle(() => this.#reject(isBegun ? midCall(reason) : reason));
  }

  async #goOn(more: Promise<JsonObject>): Promise<void> {
    const resume = this.#clock.pause();
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

  readonly #onAbort = (): void => this.#giveUp(cancelled(this.#parts.server, "unknown"));

  #giveUp(reason: DiscoveryError): void {
    this.#parts.cancel(this.#id, reason.message);
    this.fail(reason);
  }

  #settle(finish: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#clock.stop();
    clearTimeout(this.#total);
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#parts.forget(this.#id);
    this.#parts.onSettled(this);
    finish();
    this.#ending?.abort();
  }
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

export function cancelled(server: string, executed: "no" | "unknown"): DiscoveryError {
  return new DiscoveryError("CANCELLED", `The call to ${server} was cancelled.`, { server, executed });
}
