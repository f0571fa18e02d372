import type { ErrorCode } from "../errors.js";
import type { Surface } from "../model/actor.js";

/** Who called which tool. What is not known of a call, because it was refused before, is null. */
export interface AuditCall {
  readonly request_id: string;
  /** When the call came, ISO 8601, UTC. */
  readonly timestamp: string;
  readonly actor_id: string;
  readonly surface: Surface;
  readonly tool_id: string;
  /** Keyed hash of the canonical arguments: equal calls can be recognised, guessed ones not confirmed without the key. */
  readonly params_hash: string | null;
  readonly risk: string | null;
  readonly idempotency_key?: string | undefined;
  readonly approval_id?: string | undefined;
  /** The request whose stored answer was given. */
  readonly replayed_from?: string | undefined;
  /** A call shortly before that was the same, under another key or none. */
  readonly repeats?: string | undefined;
}

/** Durable before a call is sent. */
export interface AuditIntent extends AuditCall {
  readonly kind: "intent";
}

/** Durable before anybody hears how it ended. */
export interface AuditOutcome extends AuditCall {
  readonly kind: "outcome";
  readonly decision: "allowed" | "refused";
  /** `unknown`: it was sent, and the gateway ended before it was told more. */
  readonly outcome: "ok" | "tool_error" | "error" | "unknown" | "dry_run";
  readonly error_code?: ErrorCode | undefined;
  readonly duration_ms: number;
  /** Recorded only where that is switched on, and redacted. */
  readonly arguments?: unknown;
}

/** What a person did besides calling. */
export interface AuditAct {
  /** `approve`, `deny`, `resolve_key_…`, `approve_pin`. */
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
  /** The same as `by`: who asks for an actor gets what they did and what they called. */
  readonly actor_id?: string;
}

export type AuditEntry = AuditIntent | AuditOutcome | AuditNote;
