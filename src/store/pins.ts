import type { CatalogKey } from "./catalog-records.js";

/** Identifies a tool of a server by name and connection: the same name with another connection is another server. */
export interface PinKey extends CatalogKey {
  readonly tool: string;
}

/** A tool definition that a server sent, and its hash. */
export interface SeenDefinition {
  readonly tool: string;
  readonly hash: string;
  /** The text of the definition, stored so that a user can compare versions. */
  readonly definition: string;
}

/** The pin of a tool: its approved and its current definition. */
export interface Pin extends PinKey {
  readonly firstSeenAt: number;
  /** The definition that a user approved, or the first one seen; absent while no definition is approved. */
  readonly approved?: Omit<SeenDefinition, "tool">;
  readonly approvedBy?: string;
  readonly approvedAt?: number;
  /** The definition in the server's last tool list. */
  readonly current: Omit<SeenDefinition, "tool">;
  readonly changedAt: number;
  readonly isApproved: boolean;
}

export interface Sighting extends CatalogKey {
  readonly definitions: readonly SeenDefinition[];
  readonly now: number;
  /** Whether to approve a tool that was never seen before without asking a user. */
  readonly trustNew: boolean;
}

export interface PinApproval {
  /** The hash of the definition that the user reviewed. */
  readonly hash: string;
  readonly by: string;
  readonly now: number;
}

/** Selects the pins that match all members that are present. */
export interface PinFilter extends Partial<CatalogKey> {
  /** If true, returns only pins whose current definition is not approved. */
  readonly onlyChanged?: boolean;
}

export interface Pins {
  /** Records the definitions of a server and returns the pins whose current definition is not approved. */
  see(sighting: Sighting): Promise<readonly Pin[]>;
  /** Approves the current definition of a tool. Returns undefined if it is no longer the one that the user reviewed. */
  approve(key: PinKey, approval: PinApproval): Promise<Pin | undefined>;
  find(key: PinKey): Promise<Pin | undefined>;
  list(filter: PinFilter): Promise<readonly Pin[]>;
}
