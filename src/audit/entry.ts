import type { ErrorCode } from "../errors.js";
import type { Surface } from "../model/actor.js";

/**
 * The caller, the tool and the arguments of a recorded call. Members are null if the call was rejected before they were
 * known.
 */
export interface AuditCall {
  readonly request_id: string;
  /** When the gateway received the call; ISO 8601, UTC. */
  readonly timestamp: string;
  readonly actor_id: string;
  readonly surface: Surface;
  /** The program that sent the call, as it names itself. */
  readonly client_name?: string | undefined;
  readonly client_version?: string | undefined;
  /** The ids of the caller's span (W3C Trace Context), if the caller sent them. */
  readonly trace_id?: string | undefined;
  readonly span_id?: string | undefined;
  readonly tool_id: string;
  /**
   * Keyed hash of the canonical arguments. Equal arguments have equal hashes; without the key, nobody can test whether
   * guessed arguments match.
   */
  readonly params_hash: string | null;
  /**
   * The arguments whose type the gateway converted, for example `/count: string to number`; without their values.
   * `params_hash` covers the converted arguments.
   */
  readonly coerced?: readonly string[] | undefined;
  readonly risk: string | null;
  readonly idempotency_key?: string | undefined;
  readonly approval_id?: string | undefined;
  /** Request id of the earlier call whose stored answer was returned instead of running the tool again. */
  readonly replayed_from?: string | undefined;
  /** Request id of an identical recent call that had another idempotency key or none. */
  readonly repeats?: string | undefined;
}

/** The record of a call that is about to be sent. It is on disk before the call is sent. */
export interface AuditIntent extends AuditCall {
  readonly kind: "intent";
}

/** The record of how a call ended. It is written before the caller receives the result. */
export interface AuditOutcome extends AuditCall {
  readonly kind: "outcome";
  readonly decision: "allowed" | "refused";
  /** `unknown`: the call was sent, and the gateway process ended before it received the response. */
  readonly outcome: "ok" | "tool_error" | "error" | "unknown" | "dry_run";
  readonly error_code?: ErrorCode | undefined;
  readonly duration_ms: number;
  /** The arguments of the call with secrets redacted; present only if the option `audit.arguments` is set. */
  readonly arguments?: unknown;
}

/** A user's action other than a call, such as an approval. */
export interface AuditAct {
  /**
   * What the user did: `approve`, `deny`, `approve_too_late`, `deny_too_late`, `resolve_key_…`, `approve_pin`, `sign_in`,
   * `sign_out`, `sign_tool_file`, `trust_key` or `revoke_key`.
   */
  readonly action: string;
  readonly subject: string;
  readonly by: string;
  readonly tool_id?: string;
  readonly surface?: Surface;
}

export interface AuditNote extends AuditAct {
  readonly kind: "note";
  readonly request_id: string;
  readonly timestamp: string;
  /** The same as `by`, so that a query for an actor finds both its calls and its actions. */
  readonly actor_id?: string;
}

export type AuditEntry = AuditIntent | AuditOutcome | AuditNote;
