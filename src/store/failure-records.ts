/** Identifies a server by name and connection: the same name with another connection is another server. */
export interface FailureRecordKey {
  readonly server: string;
  readonly fingerprint: string;
}

export interface FailureEntry extends FailureRecordKey {
  readonly failedAt: number;
  readonly text: string;
}

/**
 * Servers whose last tool list request failed. The loss of an entry is harmless: the gateway only contacts the server
 * earlier than necessary.
 */
export interface FailureRecords {
  list(): Promise<readonly FailureEntry[]>;
  /** Replaces the entry of the same server, and removes entries whose failure was before `forgetBefore`. */
  write(entry: FailureEntry & { readonly forgetBefore: number }): Promise<void>;
  remove(key: FailureRecordKey): Promise<void>;
}
