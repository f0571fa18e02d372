/** A place in the chain. */
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

/** The newest record of a moment, signed: it vouches for all before it. */
export interface Checkpoint extends Mark {
  readonly at: number;
  readonly keyId: string;
  readonly signature: string;
}

/** What the audit needs of the store: one chain of records for all processes. */
export interface AuditChain {
  append(bodies: readonly ChainBody[]): Promise<readonly Mark[]>;
  /** The same, safe from a crash of the process at once and from a loss of power a little later. */
  appendSoon(bodies: readonly ChainBody[]): Promise<readonly Mark[]>;
  read(query: { readonly after?: number; readonly limit?: number }): Promise<readonly (Mark & { body: string })[]>;
  openIntents(): Promise<readonly { requestId: string; body: string; isOrphan: boolean }[]>;
  /** Of several processes that try, one closes an orphan. */
  closeOrphans(outcomes: readonly ChainBody[]): Promise<readonly Mark[]>;
  /** Appends those of the outcomes whose request has none. */
  appendMissing(outcomes: readonly ChainBody[]): Promise<readonly Mark[]>;
  head(): Promise<Mark>;
  start(): Promise<Mark>;
  addCheckpoint(checkpoint: Checkpoint): Promise<void>;
  checkpoints(): Promise<readonly Checkpoint[]>;
}
