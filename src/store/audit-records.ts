/** One line of the record. Members beyond these are kept as they are; together, in canonical form, they are hashed. */
export interface AuditBody {
  readonly kind: "intent" | "outcome" | "note" | "rotation";
  readonly request_id: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly actor_id?: string;
  readonly tool_id?: string;
  readonly outcome?: string;
  readonly [member: string]: unknown;
}

/** A place in the chain. */
export interface AuditMark {
  readonly seq: number;
  readonly hash: string;
}

export interface AuditRecord extends AuditMark {
  /** The canonical JSON that was hashed, byte for byte. */
  readonly body: string;
}

export interface AuditQuery {
  readonly after?: number;
  readonly before?: number;
  readonly since?: string;
  readonly until?: string;
  readonly kind?: AuditBody["kind"];
  readonly requestId?: string;
  readonly tool?: string;
  readonly actor?: string;
  readonly outcome?: string;
  readonly newestFirst?: boolean;
  /** At most 1,000, which is also the default. */
  readonly limit?: number;
}

export interface OpenIntent extends AuditRecord {
  readonly requestId: string;
  /** The process that wrote it is gone: nobody will write the outcome. */
  readonly isOrphan: boolean;
}

export interface Checkpoint extends AuditMark {
  readonly at: number;
  readonly keyId: string;
  readonly signature: string;
}

/** Records that were moved into a file of their own. */
export interface Removal {
  /** What the first record that goes follows. */
  readonly after: AuditMark;
  /** The last record that goes. */
  readonly through: AuditMark;
  /** Appended in the same step: it says where the removed records are. */
  readonly rotation: AuditBody;
}

/** One chain for all processes: each record's hash covers its number, its text and the hash before it. */
export interface AuditRecords {
  /** In one step and next to each other. An intent stays open until an outcome has the same `request_id`. */
  append(bodies: readonly AuditBody[]): Promise<readonly AuditMark[]>;
  /** The same, safe from a crash of the process at once and from a loss of power with the next durable change. */
  appendSoon(bodies: readonly AuditBody[]): Promise<readonly AuditMark[]>;
  read(query: AuditQuery): Promise<readonly AuditRecord[]>;
  openIntents(): Promise<readonly OpenIntent[]>;
  /** Appends those of the outcomes whose intent is still open and an orphan: of several processes that try, one does it. */
  closeOrphans(outcomes: readonly AuditBody[]): Promise<readonly AuditMark[]>;
  /** Appends those of the outcomes whose request has none: for who does not know whether they were written. */
  appendMissing(outcomes: readonly AuditBody[]): Promise<readonly AuditMark[]>;
  /** The last record, or where an empty chain starts. */
  head(): Promise<AuditMark>;
  /** What the first record that is kept here follows. */
  start(): Promise<AuditMark>;
  /** The newest 1,000 are kept: each vouches for all records before it. */
  addCheckpoint(checkpoint: Checkpoint): Promise<void>;
  /** Oldest first. */
  checkpoints(): Promise<readonly Checkpoint[]>;
  /** False when the chain does not start with these records any more, or one is an open intent: then nothing happened. */
  remove(removal: Removal): Promise<boolean>;
}
