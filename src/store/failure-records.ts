/** A server as it is connected: the same name with another connection is another server. */
export interface FailureKey {
  readonly server: string;
  readonly fingerprint: string;
}

export interface FailureEntry extends FailureKey {
  readonly failedAt: number;
  readonly text: string;
}

/** Servers whose last attempt to list their tools failed. A lost entry only means that a server is asked sooner. */
export interface FailureRecords {
  list(): Promise<readonly FailureEntry[]>;
  /** Replaces the entry of the same server, and removes entries that failed before `forgetBefore`. */
  write(entry: FailureEntry & { readonly forgetBefore: number }): Promise<void>;
  remove(key: FailureKey): Promise<void>;
}
