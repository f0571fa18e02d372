import type { Actor } from "./actor.js";
import type { JsonObject } from "./json.js";

/** One execution as a surface asks for it. What may be left out may be undefined: a copy that leaves it out costs more. */
export interface Call {
  readonly actor: Actor;
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** Longest silence to wait through, in milliseconds; every progress report starts it anew. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait for a server that has to be started first. */
  readonly startWaitMs?: number | undefined;
  /** Protocol metadata of the caller's request that travels upstream, without the caller's progress token. */
  readonly meta?: JsonObject | undefined;
  /** What reading the request as JSON has silently changed; pointers into the request. Such a call is refused. */
  readonly flaws?: readonly { readonly path: string; readonly message: string }[] | undefined;
  readonly onEvent?: ((event: CallEvent) => void) | undefined;
  /** The caller is no model and wants the result whole, however large. */
  readonly whole?: boolean | undefined;
  /** Whoever repeats a call with its key gets the first one's answer: nothing runs twice. */
  readonly idempotencyKey?: string | undefined;
  /** The caller says that its person wants this call. */
  readonly confirmed?: boolean | undefined;
  /** The local user has confirmed this very call on the command line; other surfaces cannot set it. */
  readonly consent?: Consent | undefined;
  /** Nothing is sent and nothing used up: the answer says what would happen. */
  readonly dryRun?: boolean | undefined;
  /** Puts a question to the caller's person; absent when the caller cannot. */
  readonly ask?: AskPerson | undefined;
  /** The caller's client, when the tool's server may ask it something; absent when there is none that could answer. */
  readonly peer?: CallerPeer | undefined;
  /** The least severe log messages that the caller wants from the server; absent when it wants none in particular. */
  readonly logLevel?: string | undefined;
  /** Whose tools the caller was given: some of the policy depends on it. */
  readonly profile?: "discovery" | "gateway" | undefined;
  /** Under which the call is recorded; made up when left out. */
  readonly requestId?: string | undefined;
}

/** A confirmation that came with the call itself. */
export interface Consent {
  /** How it was given, for the record. */
  readonly by: string;
  /** It was typed at a terminal: it counts where only a person may confirm. */
  readonly isAttended: boolean;
}

/** What a person is asked before a call runs. */
export interface Question {
  /** Of the approval that waits for the answer. */
  readonly id: string;
  readonly toolId: string;
  /** What the call is thought able to do, and who says so. */
  readonly risk: string;
  readonly riskOrigin: string;
  /** Exactly what would be sent. */
  readonly arguments: JsonObject;
  /** How long an answer counts. */
  readonly ttlMs: number;
}

/** `unanswered`: the person has not seen it or put it off; the question stays open. */
export type AskPerson = (question: Question, signal?: AbortSignal) => Promise<"accepted" | "declined" | "unanswered">;

/** A client that can be asked while its call is under way: for a person's input, a model's words, its folders. */
export interface CallerPeer {
  /** The same object for all calls of one client, and of no other. */
  readonly client: object;
  /** What it has declared that it can be asked: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: JsonObject;
  /** Puts a server's question to the client; `signal` takes it back. */
  request(question: PeerQuestion, signal?: AbortSignal): Promise<PeerAnswer>;
  /** Tells it something that no request waits for, also after the call; absent when there is no way to. */
  notify?(method: string, params: JsonObject): void;
}

/** What a server asks a client. */
export interface PeerQuestion {
  readonly method: string;
  readonly params: JsonObject;
  /** How the server names it among its questions of this call, where it does. */
  readonly key?: string;
}

/** What a client said. An error is an answer too: it belongs to the server that asked. */
export type PeerAnswer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown };

/** What a tool answered, passed through unchanged: `isError` is an answer, not an exception. */
export interface CallResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly [member: string]: unknown;
}

/** What happens while a call is under way. */
export type CallEvent =
  | { readonly kind: "progress"; readonly progress: number; readonly total?: number; readonly message?: string }
  | { readonly kind: "log"; readonly level: string; readonly logger?: string; readonly data: unknown };

/** What can be an idempotency key: 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(value: unknown): value is string {
  return typeof value === "string" && /^[!-~]{1,255}$/.test(value);
}
