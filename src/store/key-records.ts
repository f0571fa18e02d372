/** Whose key it is: the same key of another actor or for another tool is another key. */
export interface KeyScope {
  readonly tenant?: string;
  readonly actor: string;
  readonly tool: string;
  readonly key: string;
}

/**
 * `reserved → dispatched → completed | failed | unknown`. Only a reserved key whose process is gone can be taken over;
 * a dispatched one becomes `unknown` then, because the tool may have run.
 */
export type KeyState = "reserved" | "dispatched" | "completed" | "failed" | "unknown";

export interface KeyRecord {
  readonly id: number;
  readonly scope: Required<KeyScope>;
  readonly fingerprint: string;
  readonly state: KeyState;
  /** Of the call that holds or held the key. */
  readonly requestId: string;
  readonly reservedAt: number;
  readonly changedAt: number;
  readonly expiresAt: number;
  /** The very bytes that were stored; absent when there are none or they were over the limit. */
  readonly answer?: Uint8Array;
  /** The size of the answer, also when it was too large to keep. */
  readonly answerBytes?: number;
}

export interface ReserveRequest {
  /** Of everything that makes the call what it is; the store only compares it. */
  readonly fingerprint: string;
  /** New for every attempt: it is the fencing token, and the same one again is the same attempt. */
  readonly requestId: string;
  readonly now: number;
  readonly ttlMs: number;
  /** The tool may run twice without harm: an `unknown` key is taken over. */
  readonly rerun?: boolean;
}

/** The right to run the call. It is lost when somebody else took the key over. */
export interface Claim {
  readonly id: number;
  readonly requestId: string;
}

export type Reservation =
  | { readonly kind: "reserved"; readonly claim: Claim }
  | { readonly kind: "known"; readonly record: KeyRecord };

/** Larger answers are not kept: the key still says that the call was made. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/** `failed` is a definite error of the tool: it is replayed like an answer. An answer may be told by its size alone. */
export type Ending =
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
  /** Exactly one of any number of callers gets the claim. An expired record counts as none. */
  reserve(scope: KeyScope, request: ReserveRequest): Promise<Reservation>;
  /** To be awaited before the first byte is sent. False: the claim is lost, nothing may be sent. */
  dispatch(claim: Claim, now: number): Promise<boolean>;
  /** False: the claim is lost. An ending may still come after `unknown`, from the holder of the same claim. */
  finish(claim: Claim, ending: Ending, now: number): Promise<boolean>;
  /** Frees a key that is still under way. After `dispatch` only for a caller with proof that nothing was sent. */
  release(claim: Claim): Promise<boolean>;
  find(scope: KeyScope, now: number): Promise<KeyRecord | undefined>;
  /** Newest first, without the answers. */
  list(query: KeyQuery): Promise<readonly KeyRecord[]>;
  /** A person says how an unknown call ended: committed keeps the key without an answer, not committed frees it. */
  resolve(id: number, verdict: "committed" | "not_committed", now: number): Promise<KeyRecord | undefined>;
  /** Settles what processes that are gone have left: frees their reserved keys; gives those that became `unknown`. */
  recover(now: number): Promise<readonly KeyRecord[]>;
}
