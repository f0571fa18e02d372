/** A server and its connection. */
export interface ServerKey {
  readonly server: string;
  readonly fingerprint: string;
}

/** The canonical text of a definition and its hash. */
export interface PinnedText {
  readonly hash: string;
  readonly definition: string;
}

/** The stored pin of one tool. */
export interface StoredPin extends ServerKey {
  readonly tool: string;
  /** Undefined if the tool was never approved. */
  readonly approved?: PinnedText;
  readonly approvedAt?: number;
  /** The server's latest definition. */
  readonly current: PinnedText;
  readonly changedAt: number;
  readonly isApproved: boolean;
}

/** The persistence that pinning needs: durable when a promise resolves, and shared by all processes. */
export interface PinStore {
  /** Stores definitions, and returns the pins whose current definition is not approved. */
  see(
    sighting: ServerKey & {
      readonly definitions: readonly (PinnedText & { readonly tool: string })[];
      readonly now: number;
      readonly trustNew: boolean;
    },
  ): Promise<readonly StoredPin[]>;
  find(key: ServerKey & { readonly tool: string }): Promise<StoredPin | undefined>;
  /** Sorted by server and tool, filtered by the fields that are set; `onlyChanged` omits pins whose current definition is approved. */
  list(filter: Partial<ServerKey> & { readonly onlyChanged?: boolean }): Promise<readonly StoredPin[]>;
}
