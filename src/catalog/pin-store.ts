/** A server as it is connected. */
export interface ServerKey {
  readonly server: string;
  readonly fingerprint: string;
}

/** A definition's canonical text and its hash. */
export interface PinnedText {
  readonly hash: string;
  readonly definition: string;
}

/** What is remembered of one tool. */
export interface StoredPin extends ServerKey {
  readonly tool: string;
  /** Absent while nobody has approved the tool. */
  readonly approved?: PinnedText;
  readonly approvedAt?: number;
  /** What the server said last. */
  readonly current: PinnedText;
  readonly changedAt: number;
  readonly isApproved: boolean;
}

/** What pinning asks of the place where pins are kept: durable when it resolves, and shared by all processes. */
export interface PinStore {
  /** Remembers definitions, and gives the pins that are not approved as they are now. */
  see(
    sighting: ServerKey & {
      readonly definitions: readonly (PinnedText & { readonly tool: string })[];
      readonly now: number;
      readonly trustNew: boolean;
    },
  ): Promise<readonly StoredPin[]>;
  find(key: ServerKey & { readonly tool: string }): Promise<StoredPin | undefined>;
  /** In order of server and tool; what is given has to fit, and `onlyChanged` leaves out what is approved as it is. */
  list(filter: Partial<ServerKey> & { readonly onlyChanged?: boolean }): Promise<readonly StoredPin[]>;
}
