import type { Actor } from "./actor.js";
import type { JsonObject } from "./json.js";

/**
 * The caller of a request and how to reach the caller. The surface that receives a request creates the context; every
 * layer below gets the same object. Optional members may also be set to undefined, so that a surface can write all of
 * them in one object literal.
 */
export interface CallContext {
  readonly actor: Actor;
  /** Aborts when the caller cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /** The program that the caller uses, as it names itself; for the audit log. Not verified. */
  readonly clientName?: ClientName | undefined;
  /** Receives progress and log messages from the server. */
  readonly onEvent?: ((event: CallEvent) => void) | undefined;
  /** The protocol metadata (`_meta`) of the caller's request, without the caller's progress token. */
  readonly meta?: JsonObject | undefined;
  /** The parts of the request that the JSON parser silently changed, as JSON pointers. Such a call is rejected. */
  readonly flaws?: readonly { readonly path: string; readonly message: string }[] | undefined;
  /** Asks the caller's user to confirm a call; undefined if the caller cannot ask. */
  readonly ask?: AskPerson | undefined;
  /** The caller's client, to which the tool's server may send requests; undefined if the client supports none. */
  readonly peer?: CallerPeer | undefined;
  /** The lowest severity of log messages that the caller wants from the server; undefined if the caller set none. */
  readonly logLevel?: string | undefined;
  /** Whether the caller wants the whole result, however large it is, because it is not a model. */
  readonly whole?: boolean | undefined;
  /** Set if the local user has confirmed this call on the command line; other surfaces cannot set it. */
  readonly consent?: Consent | undefined;
}

/** How a client names itself. Any client can use any name. */
export interface ClientName {
  readonly name: string;
  readonly version: string;
}

/** One call of a tool: the tool, its arguments and the caller's options for this call. */
export interface Call {
  readonly context: CallContext;
  /** Empty if the caller names none: the tool's name or id must then be unique among the tools that the caller sees. */
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
  /**
   * The timeout of the call in milliseconds: how long to wait for a response from the server. Each progress
   * notification restarts the timeout.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * How long the call waits in milliseconds for a server that must be started first. After that, the call fails with
   * UPSTREAM_STARTING; the start continues.
   */
  readonly startWaitMs?: number | undefined;
  /**
   * The idempotency key: a repeated call with the same key gets the answer of the first call, and the tool does not run
   * again.
   */
  readonly idempotencyKey?: string | undefined;
  /** Whether the caller states that its user wants this call. */
  readonly confirmed?: boolean | undefined;
  /**
   * If true, nothing is sent to the server, and no approval, idempotency key or rate limit is used up. The answer says
   * what would happen.
   */
  readonly dryRun?: boolean | undefined;
  /**
   * The budget for the result in estimated tokens; 0 for none. Default: the budget in the configuration or, for a
   * caller with `context.whole`, none.
   */
  readonly maxTokens?: number | undefined;
  /** A JMESPath expression: the caller gets only the part of the result that it selects. */
  readonly select?: string | undefined;
  /** Writes a call of `anygpt:read_result` with these arguments as the caller would make it. */
  readonly describeReading?: ((args: JsonObject) => string) | undefined;
  /** The profile of the meta-tool that made the call; the policy has different requirements for each profile. */
  readonly profile?: "discovery" | "gateway" | undefined;
  /** The id of the call in the audit log; generated if undefined. */
  readonly requestId?: string | undefined;
}

/** Below this budget for a result, the line that says how to read more takes most of the view. */
export const MIN_RESULT_TOKENS = 200;
export const MAX_RESULT_TOKENS = 1_000_000;

/** A confirmation that was sent together with the call. */
export interface Consent {
  /** How the user confirmed the call; recorded in the audit log. */
  readonly by: string;
  /**
   * Whether the user typed the confirmation at a terminal. If so, the confirmation is valid even if the policy does not
   * accept confirmations by the caller.
   */
  readonly isAttended: boolean;
}

/** A call that the user has to confirm before it runs. */
export interface Question {
  /** The id of the pending approval. */
  readonly id: string;
  /** The id of the tool: `server:tool`. */
  readonly toolId: string;
  /** How much harm the call can do: `low`, `medium`, `high` or `destructive`. */
  readonly risk: string;
  /** Where the risk comes from, for example `policy.risk, entry 1`. */
  readonly riskOrigin: string;
  /** The arguments that would be sent. */
  readonly arguments: JsonObject;
  /** The members of the caller's `_meta` that would be sent; undefined if there are none. */
  readonly meta?: JsonObject | undefined;
  /** What the gateway says about this call, as one sentence. */
  readonly notice?: string | undefined;
  /** Whether the user must see the whole call, without shortened texts. */
  readonly isShownWhole?: boolean | undefined;
  /** How long the user's answer is valid, in milliseconds. */
  readonly ttlMs: number;
}

/** Asks the user whether a call may run. `unanswered`: the user has not decided, and the approval stays open. */
export type AskPerson = (question: Question, signal?: AbortSignal) => Promise<"accepted" | "declined" | "unanswered">;

/** A client that responds to requests from a server (elicitation, sampling, roots) while a call to that server runs. */
export interface CallerPeer {
  /** Identifies the client: the same object for all calls of one client, and for no other. */
  readonly client: object;
  /** The capabilities for requests from servers that the client declared: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: JsonObject;
  /** Forwards a request from a server to the client. Aborting `signal` cancels the request. */
  request(question: PeerQuestion, signal?: AbortSignal): Promise<PeerAnswer>;
  /** Sends a notification to the client, even after the call has ended; absent if the transport cannot do this. */
  notify?(method: string, params: JsonObject): void;
}

/** A request from a server to a client. */
export interface PeerQuestion {
  readonly method: string;
  readonly params: JsonObject;
  /** The key by which the server identifies the request within this call (only in multi-round-trip requests). */
  readonly key?: string;
}

/** The client's response. An error response is forwarded to the server too. */
export type PeerAnswer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown };

/**
 * The result of `tools/call`, passed on unchanged. If a tool fails, the result has `isError`; no exception is thrown.
 */
export interface CallResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly [member: string]: unknown;
}

/** A progress notification or log message of a running call. */
export type CallEvent =
  | { readonly kind: "progress"; readonly progress: number; readonly total?: number; readonly message?: string }
  | { readonly kind: "log"; readonly level: string; readonly logger?: string; readonly data: unknown };

/** Whether a value is a valid idempotency key: 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(value: unknown): value is string {
  return typeof value === "string" && /^[!-~]{1,255}$/.test(value);
}
