/** A position in the chain. */
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

/** The newest record at the time of signing, and its signature. It covers all records before it. */
export interface Checkpoint extends Mark {
  readonly at: number;
  readonly keyId: string;
  readonly signature: string;
}

/** The part of the store that the audit log needs: one chain of records for all processes. */
export interface AuditChain {
  append(bodies: readonly ChainBody[]): Promise<readonly Mark[]>;
  /**
   * Like `append`, but without waiting for a disk sync: it survives a crash of the process at once, and a power loss a
   * little later.
   */
  appendSoon(bodies: readonly ChainBody[]): Promise<readonly Mark[]>;
  read(query: { readonly after?: number; readonly limit?: number }): Promise<readonly (Mark & { body: string })[]>;
  openIntents(): Promise<readonly { requestId: string; body: string; isOrphan: boolean }[]>;
  /** If several processes try to close the same orphaned intent, one succeeds. */
  closeOrphans(outcomes: readonly ChainBody[]): Promise<readonly Mark[]>;
  /** Appends only outcomes of requests that have no outcome yet. */
  appendMissing(outcomes: readonly ChainBody[]): Promise<readonly Mark[]>;
  head(): Promise<Mark>;
  start(): Promise<Mark>;
  addCheckpoint(checkpoint: Checkpoint): Promise<void>;
  checkpoints(): Promise<readonly Checkpoint[]>;
}
