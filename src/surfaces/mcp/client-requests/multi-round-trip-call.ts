// One call of a modern client (MCP 2026-07-28 and later) as a multi-round-trip request. When the server sends a
// request, the gateway passes it to the client in an `input_required` result; the client's next request contains the
// response. The call to the server stays open throughout.
import type { CallContext, CallerPeer, PeerAnswer, PeerQuestion } from "../../../model/call.js";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import { toModernParams } from "./era-params.js";

const INTERNAL_ERROR = -32_603;

/** One request from the client that the gateway has not responded to yet. */
export type RoundTrip = { readonly [Member in "signal" | "onEvent"]: NonNullable<CallContext[Member]> };

/**
 * The caller of a tool or method: receives events, responds to requests from the server, and cancels the work with
 * `signal`.
 */
export interface McpCaller extends RoundTrip, Pick<CallContext, "peer"> {
  /**
   * Whether the client's request already got a task as its result. The client then sends no further request for this
   * call.
   */
  readonly isAnswered?: (() => boolean) | undefined;
}

export type CallWork = (caller: McpCaller) => Promise<JsonObject>;

export interface MultiRoundTripParts {
  readonly client: object;
  readonly capabilities: JsonObject;
  /** Whether the limits allow one more call to wait for its client's responses. */
  readonly mayWait: () => boolean;
  /** Responses that the client's first request already contains, by the key of the server's request. */
  readonly early: JsonObject;
}

export type Next =
  | { readonly kind: "ended"; readonly result: JsonObject }
  | { readonly kind: "asked"; readonly requests: JsonObject };

interface Question {
  readonly request: JsonObject;
  readonly settle: (answer: PeerAnswer) => void;
}

export class MultiRoundTripCall {
  /** Resolves to the result of the call. */
  readonly ended: Promise<JsonObject>;
  readonly #ending = new AbortController();
  readonly #questions = new Map<string, Question>();
  readonly #early: Map<string, unknown>;
  #round: RoundTrip | undefined;
  #wake: () => void = () => undefined;
  #hasEnded = false;
  #isDetached = false;
  #asked = 0;
  readonly #keys = new Set<string>();

  constructor(work: CallWork, round: RoundTrip, parts: MultiRoundTripParts) {
    this.#round = round;
    this.#early = new Map(Object.entries(parts.early));
    const { client, capabilities } = parts;
    const peer = { client, capabilities, request: this.#asker(parts) };
    this.ended = work({
      ...(Object.keys(capabilities).length === 0 ? {} : { peer }),
      signal: this.#ending.signal,
      // Events between two requests from the client are dropped.
      onEvent: (event) => this.#round?.onEvent(event),
      isAnswered: () => this.#isDetached,
    });
    const end = (): void => {
      this.#hasEnded = true;
      this.#wake();
    };
    this.ended.then(end, end);
  }

  get isWaiting(): boolean {
    return !this.#hasEnded;
  }

  answer(answers: JsonObject): void {
    for (const [key, result] of Object.entries(answers)) {
      if (isJsonObject(result)) this.#questions.get(key)?.settle({ kind: "result", result });
    }
  }

  /**
   * Waits for what the client's current request gets as its result: the result of the call, the open requests from the
   * server, or `timeout` after `waitMs`.
   */
  next(round: RoundTrip): Promise<Next>;
  next(round: RoundTrip, waitMs: number | undefined): Promise<Next | { kind: "timeout" }>;
  async next(round: RoundTrip, waitMs?: number): Promise<Next | { kind: "timeout" }> {
    this.#round = round;
    const wait = { isOver: false };
    const onTimeout = (): void => {
      wait.isOver = true;
      this.#wake();
    };
    const timer = waitMs === undefined ? undefined : setTimeout(onTimeout, waitMs);
    const onAbort = (): void => this.end();
    round.signal.addEventListener("abort", onAbort, { once: true });
    if (round.signal.aborted) onAbort();
    try {
      while (!this.#hasEnded && this.#questions.size === 0 && !wait.isOver) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      clearTimeout(timer);
      round.signal.removeEventListener("abort", onAbort);
      this.#round = undefined;
    }
    if (this.#hasEnded) return { kind: "ended", result: await this.ended };
    return this.#questions.size === 0 ? { kind: "timeout" } : { kind: "asked", requests: this.openRequests() };
  }

  /** Continues the call as a task, without an open request from the client. The task receives changes and events. */
  detach({ onChange, onEvent }: { onChange: () => void; onEvent: RoundTrip["onEvent"] }): void {
    this.#isDetached = true;
    this.#wake = onChange;
    this.#round = { signal: this.#ending.signal, onEvent };
  }

  openRequests(): JsonObject {
    return Object.fromEntries([...this.#questions].map(([key, { request }]) => [key, request]));
  }

  /** Cancels the call and all open requests from the server. */
  end(): void {
    this.#ending.abort();
    for (const { settle } of this.#questions.values()) settle(unanswered("The client cancelled the call."));
  }

  #asker(parts: MultiRoundTripParts): CallerPeer["request"] {
    return (question, signal) => this.#ask(question, parts, signal);
  }

  #ask(question: PeerQuestion, { mayWait }: MultiRoundTripParts, signal?: AbortSignal): Promise<PeerAnswer> {
    const { method, params } = question;
    const early = this.#early.get(question.key ?? "");
    this.#early.delete(question.key ?? "");
    if (isJsonObject(early)) return Promise.resolve({ kind: "result", result: early });
    if (signal?.aborted || this.#ending.signal.aborted)
      return Promise.resolve(unanswered("The client cancelled the call."));
    if (!this.#isDetached && !mayWait())
      return Promise.resolve(unanswered("Too many calls are waiting for responses of their clients."));
    return new Promise((resolve) => {
      const key = this.#keyOf(question);
      this.#keys.add(key);
      const settle = (answer: PeerAnswer): void => {
        signal?.removeEventListener("abort", withdraw);
        this.#questions.delete(key);
        resolve(answer);
      };
      const withdraw = (): void => settle(unanswered("The server cancelled its request."));
      signal?.addEventListener("abort", withdraw, { once: true });
      this.#questions.set(key, { request: { method, params: toModernParams(method, params) }, settle });
      this.#wake();
    });
  }

  /**
   * Returns the key for a request from the server: the server's own key, unless an open request (in a task: any earlier
   * request) already has it.
   */
  #keyOf({ key }: PeerQuestion): string {
    const taken = this.#isDetached ? this.#keys : this.#questions;
    return key === undefined || taken.has(key) ? `question-${++this.#asked}` : key;
  }
}

function unanswered(message: string): PeerAnswer {
  return { kind: "error", code: INTERNAL_ERROR, message };
}
