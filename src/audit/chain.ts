/** A position in the hash chain of the audit log: the sequence number and the hash of a record. */
export interface Mark {
  readonly seq: number;
  readonly hash: string;
}

export interface ChainBody {
  readonly kind: "intent" | "outcome" | "note";
  readonly request_id: string;
  readonly timestamp: string;
  readonly [member: string]: unknown;
}

/**
 * A signature over the newest record at the time of signing. Through the hash chain, it also covers all earlier
 * records.
 */
export interface Checkpoint extends Mark {
  readonly at: number;
  readonly keyId: string;
  readonly signature: string;
}

/** The part of the store that the audit log needs: one hash chain of records, shared by all processes. */
export interface AuditChain {
  append(bodies: readonly ChainBody[]): Promise<readonly Mark[]>;
  /**
   * Like `append`, but does not wait for a disk sync. The records survive a crash of the process immediately, but a
   * power loss only after the next sync.
   */
  appendSoon(bodies: readonly ChainBody[]): Promise<readonly Mark[]>;
  read(query: { readonly after?: number; readonly limit?: number }): Promise<readonly (Mark & { body: string })[]>;
  openIntents(): Promise<readonly { requestId: string; body: string; isOrphan: boolean }[]>;
  /**
   * Appends outcomes for intents whose gateway process has ended. If several processes try to close the same intent,
   * only one succeeds.
   */
  closeOrphans(outcomes: readonly ChainBody[]): Promise<readonly Mark[]>;
  /** Appends only the outcomes whose request has no outcome in the chain yet. */
  appendMissing(outcomes: readonly ChainBody[]): Promise<readonly Mark[]>;
  head(): Promise<Mark>;
  start(): Promise<Mark>;
  addCheckpoint(checkpoint: Checkpoint): Promise<void>;
  checkpoints(): Promise<readonly Checkpoint[]>;
}
