/** Identifies an idempotency key. The same string from another actor or for another tool is a different key. */
export interface KeyScope {
  readonly tenant?: string;
  readonly actor: string;
  readonly tool: string;
  readonly key: string;
}

/**
 * The states of an idempotency key: `reserved → dispatched → completed | failed | unknown`. When the process that holds
 * a key ends, a `reserved` key can be taken over, and a `dispatched` key becomes `unknown`, because the tool may have
 * run.
 */
export type KeyState = "reserved" | "dispatched" | "completed" | "failed" | "unknown";

export interface KeyRecord {
  readonly id: number;
  readonly scope: Required<KeyScope>;
  readonly fingerprint: string;
  readonly state: KeyState;
  /** Request id of the call that holds or held the key. */
  readonly requestId: string;
  readonly reservedAt: number;
  readonly changedAt: number;
  readonly expiresAt: number;
  /** The bytes of the stored answer; absent if there is no answer or it was larger than `MAX_ANSWER_BYTES`. */
  readonly answer?: Uint8Array;
  /** The size of the answer in bytes, even if the answer was too large to store. */
  readonly answerBytes?: number;
}

export interface ReserveRequest {
  /** Hash of the call. The store only compares it for equality. */
  readonly fingerprint: string;
  /**
   * A new id for every attempt, used as the fencing token. A second reservation with the same id counts as the same
   * attempt.
   */
  readonly requestId: string;
  readonly now: number;
  readonly ttlMs: number;
  /** Whether the tool is safe to run twice, so that a key in the state `unknown` may be taken over. */
  readonly rerun?: boolean;
  /** Absent: no limit. */
  readonly quotas?: KeyQuotas;
}

/** How much one actor may have stored. A new key is rejected once its actor has reached one of the maxima. */
export interface KeyQuotas {
  readonly maxKeysPerActor: number;
  /** The maximum size of the stored answers in bytes. */
  readonly maxBytesPerActor: number;
}

/** The right to run the call. It is lost when another process takes over the key. */
export interface KeyClaim {
  readonly id: number;
  readonly requestId: string;
}

export type Reservation =
  | { readonly kind: "reserved"; readonly claim: KeyClaim }
  | { readonly kind: "known"; readonly record: KeyRecord }
  | { readonly kind: "full"; readonly keys: number; readonly bytes: number };

/**
 * The maximum size of a stored answer. A larger answer is not stored; the key then only records that the call was made.
 */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * How a call with an idempotency key ended. `failed` is a definite error of the tool, which is replayed like an answer.
 * `answerBytes`: only the size of the answer is stored.
 */
export type KeyEnding =
  | { readonly kind: "completed" | "failed"; readonly answer: Uint8Array }
  | { readonly kind: "completed" | "failed"; readonly answerBytes: number }
  | { readonly kind: "unknown" };

export interface KeyQuery {
  readonly now: number;
  readonly state?: KeyState;
  readonly actor?: string;
  readonly key?: string;
  readonly limit?: number;
}

export interface KeyRecords {
  /**
   * Reserves a key for a call. Exactly one of all concurrent callers gets the claim. An expired record counts as
   * absent.
   */
  reserve(scope: KeyScope, request: ReserveRequest): Promise<Reservation>;
  /**
   * Records that the call is about to be sent. Must complete before the first byte of the call is sent. If it returns
   * false, the claim is lost and nothing may be sent.
   */
  dispatch(claim: KeyClaim, now: number): Promise<boolean>;
  /**
   * Records how the call ended. Returns false if the claim is lost. The holder of the same claim may still finish a key
   * that became `unknown`.
   */
  finish(claim: KeyClaim, ending: KeyEnding, now: number): Promise<boolean>;
  /**
   * Frees a key whose call has not finished. After `dispatch`, it may be called only if it is certain that nothing was
   * sent.
   */
  release(claim: KeyClaim): Promise<boolean>;
  find(scope: KeyScope, now: number): Promise<KeyRecord | undefined>;
  /** Returns the matching keys, newest first, without the answers. */
  list(query: KeyQuery): Promise<readonly KeyRecord[]>;
  /**
   * Records a user's statement about a call whose outcome is unknown: `committed` keeps the key without an answer,
   * `not_committed` frees it.
   */
  resolve(id: number, verdict: "committed" | "not_committed", now: number): Promise<KeyRecord | undefined>;
  /** Settles the keys of processes that have ended: frees reserved keys and returns the keys that became `unknown`. */
  recover(now: number): Promise<readonly KeyRecord[]>;
}
