/** The stored result of a tool call. Only the actor of the call can read it. */
export interface ResultRecord {
  readonly id: string;
  readonly actor: string;
  readonly server: string;
  readonly tool: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The size of the result before compression and encryption. */
  readonly bytes: number;
  /** The SHA-256 hash of the result before compression and encryption, in hexadecimal. */
  readonly sha256: string;
  readonly payload: Uint8Array;
}

/** Limits for the number of results and the total size of their payloads. */
export interface ResultQuotas {
  readonly maxBytesPerActor: number;
  readonly maxBytes: number;
  readonly maxResultsPerActor: number;
  readonly maxResults: number;
}

/** `dropped`: the result was removed to make room for a newer one. */
export type ResultLoss = "expired" | "dropped";

export type FoundResult =
  | { readonly kind: "stored"; readonly record: ResultRecord }
  | { readonly kind: "lost"; readonly loss: ResultLoss; readonly server: string; readonly tool: string };

/** How many lost results the store remembers, of all actors together. The oldest ones are forgotten first. */
export const MAX_REMEMBERED_LOSSES = 10_000;

/** Results of tool calls that were too large to return at once. */
export interface ResultRecords {
  /**
   * Stores a result, and then removes the oldest results of its actor and of all actors until the quotas hold. Returns
   * false, and changes nothing, if the result alone exceeds a quota.
   */
  add(record: ResultRecord, quotas: ResultQuotas): Promise<boolean>;
  /** Returns undefined if the id is unknown or belongs to another actor. */
  find(id: string, actor: string, now: number): Promise<FoundResult | undefined>;
  /** Removes all expired results. */
  removeExpired(now: number): Promise<void>;
}
