// One call of a modern client, which may take several of its requests: a server's question ends the request, and the
// next one brings the answer, while the call itself goes on all the time.
import type { CallerPeer, CallEvent, PeerAnswer, PeerQuestion } from "../../../model/call.js";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import { toModernParams } from "./era-params.js";

const INTERNAL_ERROR = -32_603;

/** For whom the work of a call is done, and how long it is wanted. */
export interface Caller {
  readonly peer?: CallerPeer | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: CallEvent) => void;
  /** Whether the client has its answer, a task: no other round of the request comes. */
  readonly isAnswered?: (() => boolean) | undefined;
}

export type Work = (caller: Caller) => Promise<JsonObject>;

/** One request of the client, as long as it is not answered. */
export interface Round {
  readonly signal: AbortSignal;
  readonly onEvent: (event: CallEvent) => void;
}

export interface ConversationParts {
  readonly client: object;
  readonly capabilities: JsonObject;
  /** Whether one more call may wait for answers. */
  readonly mayWait: () => boolean;
  /** Answers that came with the first request, by the names that the server's questions will have. */
  readonly early: JsonObject;
}

export type Next =
  | { readonly kind: "ended"; readonly result: JsonObject }
  | { readonly kind: "asked"; readonly requests: JsonObject };

interface Question {
  readonly request: JsonObject;
  readonly settle: (answer: PeerAnswer) => void;
}

export class Conversation {
  /** Settles with the call. */
  readonly ended: Promise<JsonObject>;
  readonly #ending = new AbortController();
  readonly #questions = new Map<string, Question>();
  readonly #early: Map<string, unknown>;
  #round: Round | undefined;
  #wake: () => void = () => undefined;
  #hasEnded = false;
  #isDetached = false;
  #asked = 0;
  readonly #keys = new Set<string>();

  constructor(work: Work, round: Round, parts: ConversationParts) {
    this.#round = round;
    this.#early = new Map(Object.entries(parts.early));
    const { client, capabilities } = parts;
    const peer = { client, capabilities, request: this.#asker(parts) };
    this.ended = work({
      ...(Object.keys(capabilities).length === 0 ? {} : { peer }),
      signal: this.#ending.signal,
      // Between two requests nobody listens.
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

  /** What this request is answered with: the call's own result, the questions that are open, or neither in that time. */
  next(round: Round): Promise<Next>;
  next(round: Round, patienceMs: number | undefined): Promise<Next | { kind: "long" }>;
  async next(round: Round, patienceMs?: number): Promise<Next | { kind: "long" }> {
    this.#round = round;
    const patience = { isOver: false };
    const onLong = (): void => {
      patience.isOver = true;
      this.#wake();
    };
    const timer = patienceMs === undefined ? undefined : setTimeout(onLong, patienceMs);
    const onAbort = (): void => this.end();
    round.signal.addEventListener("abort", onAbort, { once: true });
    if (round.signal.aborted) onAbort();
    try {
      while (!this.#hasEnded && this.#questions.size === 0 && !patience.isOver) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      clearTimeout(timer);
      round.signal.removeEventListener("abort", onAbort);
      this.#round = undefined;
    }
    if (this.#hasEnded) return { kind: "ended", result: await this.ended };
    return this.#questions.size === 0 ? { kind: "long" } : { kind: "asked", requests: this.openRequests() };
  }

  /** From now on it goes on without any request, and whoever cares for it is told when something happens. */
  detach({ onChange, onEvent }: { onChange: () => void; onEvent: Round["onEvent"] }): void {
    this.#isDetached = true;
    this.#wake = onChange;
    this.#round = { signal: this.#ending.signal, onEvent };
  }

  openRequests(): JsonObject {
    return Object.fromEntries([...this.#questions].map(([key, { request }]) => [key, request]));
  }

  /** Nobody wants it any more. */
  end(): void {
    this.#ending.abort();
    for (const { settle } of this.#questions.values()) settle(unanswered("The caller is gone."));
  }

  #asker(parts: ConversationParts): CallerPeer["request"] {
    return (question, signal) => this.#ask(question, parts, signal);
  }

  #ask(question: PeerQuestion, { mayWait }: ConversationParts, signal?: AbortSignal): Promise<PeerAnswer> {
    const { method, params } = question;
    const early = this.#early.get(question.key ?? "");
    this.#early.delete(question.key ?? "");
    if (isJsonObject(early)) return Promise.resolve({ kind: "result", result: early });
    if (signal?.aborted || this.#ending.signal.aborted) return Promise.resolve(unanswered("The caller is gone."));
    if (!this.#isDetached && !mayWait()) return Promise.resolve(unanswered("Too many calls wait for answers."));
    return new Promise((resolve) => {
      const key = this.#keyOf(question);
      this.#keys.add(key);
      const settle = (answer: PeerAnswer): void => {
        signal?.removeEventListener("abort", withdraw);
        this.#questions.delete(key);
        resolve(answer);
      };
      const withdraw = (): void => settle(unanswered("The question was taken back."));
      signal?.addEventListener("abort", withdraw, { once: true });
      this.#questions.set(key, { request: { method, params: toModernParams(method, params) }, settle });
      this.#wake();
    });
  }

  /** The server's name for it, where no other question has it; in a task none ever had. */
  #keyOf({ key }: PeerQuestion): string {
    const taken = this.#isDetached ? this.#keys : this.#questions;
    return key === undefined || taken.has(key) ? `question-${++this.#asked}` : key;
  }
}

function unanswered(message: string): PeerAnswer {
  return { kind: "error", code: INTERNAL_ERROR, message };
}
