import type { Actor } from "./actor.js";
import type { JsonObject } from "./json.js";

/**
 * The caller of a request and how to reach it. The surface that receives a request creates the context; every layer below gets
 * the same object. Optional members may be undefined, so that a surface can write all of them in one literal.
 */
export interface CallContext {
  readonly actor: Actor;
  /** Aborts when the caller cancels. */
  readonly signal?: AbortSignal | undefined;
  /** Receives progress and log messages of the server. */
  readonly onEvent?: ((event: CallEvent) => void) | undefined;
  /** Protocol metadata of the caller's request, without the caller's progress token. */
  readonly meta?: JsonObject | undefined;
  /** The parts of the request that the JSON parser silently changed, as JSON pointers. Such a call is rejected. */
  readonly flaws?: readonly { readonly path: string; readonly message: string }[] | undefined;
  /** Asks the caller's user a question; undefined when the caller cannot. */
  readonly ask?: AskPerson | undefined;
  /** The caller's client, which the tool's server may send requests to; undefined when the client supports none. */
  readonly peer?: CallerPeer | undefined;
  /** The lowest severity of log messages that the caller wants from the server; undefined when the caller set none. */
  readonly logLevel?: string | undefined;
  /** The caller is not a model and wants the whole result, however large it is. */
  readonly whole?: boolean | undefined;
  /** The local user has confirmed this call on the command line; other surfaces cannot set it. */
  readonly consent?: Consent | undefined;
}

/** One call of a tool: the tool, its arguments and the caller's options for this call. */
export interface Call {
  readonly context: CallContext;
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** The longest time without an answer in milliseconds. Every progress report restarts it. */
  readonly timeoutMs?: number | undefined;
  /** The longest wait in milliseconds for a server that must be started first. */
  readonly startWaitMs?: number | undefined;
  /** A repeated call with the same key gets the answer of the first call: the tool does not run twice. */
  readonly idempotencyKey?: string | undefined;
  /** The caller states that its user wants this call. */
  readonly confirmed?: boolean | undefined;
  /** Nothing is sent and nothing is consumed: the answer says what would happen. */
  readonly dryRun?: boolean | undefined;
  /** The profile of the meta-tool that made the call: the policy has different requirements for each profile. */
  readonly profile?: "discovery" | "gateway" | undefined;
  /** The id in the audit log; generated when undefined. */
  readonly requestId?: string | undefined;
}

/** A confirmation that was sent together with the call. */
export interface Consent {
  /** How the user confirmed, for the audit log. */
  readonly by: string;
  /** It was typed at a terminal, so it also counts if the policy requires a user. */
  readonly isAttended: boolean;
}

/** A call that the user has to confirm before it runs. */
export interface Question {
  /** The id of the approval that waits for the answer. */
  readonly id: string;
  /** `server:tool`. */
  readonly toolId: string;
  /** How much harm the call can do: `low`, `medium`, `high` or `destructive`. */
  readonly risk: string;
  /** Where the risk comes from, for example `policy.risk, entry 1`. */
  readonly riskOrigin: string;
  /** The arguments that would be sent. */
  readonly arguments: JsonObject;
  /** How long an answer is valid, in milliseconds. */
  readonly ttlMs: number;
}

/** Asks the user whether a call may run. `unanswered`: the user has not decided, and the approval stays open. */
export type AskPerson = (question: Question, signal?: AbortSignal) => Promise<"accepted" | "declined" | "unanswered">;

/** A client that answers requests of a server while its call runs: elicitation, sampling, roots. */
export interface CallerPeer {
  /** Identifies the client: the same object for all calls of one client, and for no other. */
  readonly client: object;
  /** The capabilities that the client declared: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: JsonObject;
  /** Sends a request of a server to the client; `signal` cancels it. */
  request(question: PeerQuestion, signal?: AbortSignal): Promise<PeerAnswer>;
  /** Sends a notification to the client, also after the call; absent if the transport cannot. */
  notify?(method: string, params: JsonObject): void;
}

/** A request of a server to a client. */
export interface PeerQuestion {
  readonly method: string;
  readonly params: JsonObject;
  /** The server's own key of the request within this call, if it has one (multi-round-trip requests). */
  readonly key?: string;
}

/** The client's response. An error response is forwarded to the server too. */
export type PeerAnswer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown };

/** The result of `tools/call`, passed on unchanged. `isError` marks a result, not an exception. */
export interface CallResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly [member: string]: unknown;
}

/** Progress or a log message of a running call. */
export type CallEvent =
  | { readonly kind: "progress"; readonly progress: number; readonly total?: number; readonly message?: string }
  | { readonly kind: "log"; readonly level: string; readonly logger?: string; readonly data: unknown };

/** Whether a value is a valid idempotency key: 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(value: unknown): value is string {
  return typeof value === "string" && /^[!-~]{1,255}$/.test(value);
}
