/**
 * The content of one audit record. Further members are stored unchanged; the hash covers all members in canonical JSON.
 */
export interface AuditBody {
  readonly kind: "intent" | "outcome" | "note" | "rotation" | "gap";
  readonly request_id: string;
  /** The time of the record: ISO 8601, UTC. */
  readonly timestamp: string;
  readonly actor_id?: string;
  readonly tool_id?: string;
  readonly outcome?: string;
  readonly [member: string]: unknown;
}

/** A position in the hash chain: the sequence number and the hash of a record. */
export interface AuditMark {
  readonly seq: number;
  readonly hash: string;
}

export interface AuditRecord extends AuditMark {
  /** The canonical JSON text that was hashed, byte for byte. */
  readonly body: string;
}

/** Selects the audit records that match all fields that are set. */
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
  /** The maximum number of records to return: at most 1,000, which is also the default. */
  readonly limit?: number;
}

export interface OpenIntent extends AuditRecord {
  readonly requestId: string;
  /** Whether the process that wrote the intent has ended, so that no process will write the outcome. */
  readonly isOrphan: boolean;
}

export interface CheckpointRecord extends AuditMark {
  readonly at: number;
  readonly keyId: string;
  readonly signature: string;
}

/** The oldest records, to be deleted from the store after the caller has written them to an archive file. */
export interface Removal {
  /** The position just before the first record to remove. */
  readonly after: AuditMark;
  /** The last record to remove. */
  readonly through: AuditMark;
  /**
   * The rotation record, which names the archive file with the removed records. It is appended in the same transaction.
   */
  readonly rotation: AuditBody;
}

/**
 * The hash chain of audit records, shared by all processes: the hash of a record covers its sequence number, its body
 * and the previous hash.
 */
export interface AuditRecords {
  /**
   * Appends all bodies in one transaction, with consecutive numbers. An intent stays open until an outcome with the
   * same `request_id` is appended.
   */
  append(bodies: readonly AuditBody[]): Promise<readonly AuditMark[]>;
  /**
   * Like `append`, but does not wait for a disk sync. The records survive a crash of the process immediately, but a
   * power loss only after the next durable change.
   */
  appendSoon(bodies: readonly AuditBody[]): Promise<readonly AuditMark[]>;
  read(query: AuditQuery): Promise<readonly AuditRecord[]>;
  openIntents(): Promise<readonly OpenIntent[]>;
  /**
   * Appends only outcomes whose intent is still open and was written by a process that has ended. If several processes
   * try to close the same intent, only one succeeds.
   */
  closeOrphans(outcomes: readonly AuditBody[]): Promise<readonly AuditMark[]>;
  /**
   * Appends only outcomes whose request has no outcome yet. For a caller whose earlier write may or may not have
   * succeeded.
   */
  appendMissing(outcomes: readonly AuditBody[]): Promise<readonly AuditMark[]>;
  /** The last record; for an empty chain, the position where it starts. */
  head(): Promise<AuditMark>;
  /** The position just before the first record that is still in the store. */
  start(): Promise<AuditMark>;
  /**
   * Stores a checkpoint, which covers its record and all earlier ones. The store keeps the newest 1,000 checkpoints.
   */
  addCheckpoint(checkpoint: CheckpointRecord): Promise<void>;
  /** Returns the stored checkpoints, oldest first. */
  checkpoints(): Promise<readonly CheckpointRecord[]>;
  /**
   * Deletes the oldest records. Returns false and changes nothing if the chain no longer starts with these records, or
   * if one is an open intent.
   */
  remove(removal: Removal): Promise<boolean>;
}
