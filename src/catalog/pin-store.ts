/** Identifies a server by its name and a hash of its connection. */
export interface ServerKey {
  readonly server: string;
  readonly fingerprint: string;
}

/** The canonical JSON text of a tool definition and its hash. */
export interface PinnedText {
  readonly hash: string;
  readonly definition: string;
}

/** The stored pin of one tool: its approved definition and its latest one. */
export interface StoredPin extends ServerKey {
  readonly tool: string;
  /** The approved definition; undefined if the tool was never approved. */
  readonly approved?: PinnedText;
  readonly approvedAt?: number;
  /** The definition in the server's latest tool list. */
  readonly current: PinnedText;
  readonly changedAt: number;
  readonly isApproved: boolean;
}

/**
 * The part of the store that pinning needs. A change is durable when its promise resolves, and all processes share the
 * pins.
 */
export interface PinStore {
  /** Stores the tool definitions of a server, and returns the pins whose current definition is not approved. */
  see(
    sighting: ServerKey & {
      readonly definitions: readonly (PinnedText & { readonly tool: string })[];
      readonly now: number;
      readonly trustNew: boolean;
    },
  ): Promise<readonly StoredPin[]>;
  find(key: ServerKey & { readonly tool: string }): Promise<StoredPin | undefined>;
  /**
   * Returns the pins that match all fields that are set, sorted by server and tool. `onlyChanged` omits pins whose
   * current definition is approved.
   */
  list(filter: Partial<ServerKey> & { readonly onlyChanged?: boolean }): Promise<readonly StoredPin[]>;
}
