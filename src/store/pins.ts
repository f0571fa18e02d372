import type { CatalogKey } from "./catalog-records.js";

/** A tool of a server as it is connected: the same name with another connection is another server. */
export interface PinKey extends CatalogKey {
  readonly tool: string;
}

export interface SeenDefinition {
  readonly tool: string;
  readonly hash: string;
  /** The definition's text, kept so that a person can compare. */
  readonly definition: string;
}

export interface Pin extends PinKey {
  readonly firstSeenAt: number;
  /** What a person approved, or what was seen first; absent for a tool that nobody approved. */
  readonly approved?: Omit<SeenDefinition, "tool">;
  readonly approvedBy?: string;
  readonly approvedAt?: number;
  /** What the server says now. */
  readonly current: Omit<SeenDefinition, "tool">;
  readonly changedAt: number;
  readonly isApproved: boolean;
}

export interface Sighting extends CatalogKey {
  readonly definitions: readonly SeenDefinition[];
  readonly now: number;
  /** A tool that was never seen before is approved as it is. */
  readonly trustNew: boolean;
}

export interface PinApproval {
  /** What the person looked at. */
  readonly hash: string;
  readonly by: string;
  readonly now: number;
}

/** What is given has to fit. */
export interface PinFilter extends Partial<CatalogKey> {
  /** Not approved as they are now. */
  readonly onlyChanged?: boolean;
}

export interface Pins {
  /** Remembers a server's definitions and gives the pins that are not approved as they are now. */
  see(sighting: Sighting): Promise<readonly Pin[]>;
  /** Undefined when the definition is no longer the one that was looked at. */
  approve(key: PinKey, approval: PinApproval): Promise<Pin | undefined>;
  find(key: PinKey): Promise<Pin | undefined>;
  list(filter: PinFilter): Promise<readonly Pin[]>;
}
