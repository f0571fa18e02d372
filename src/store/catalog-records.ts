/**
 * Identifies a stored record by the server's name and its connection settings (command or URL). If the settings change,
 * a new record is used.
 */
export interface CatalogKey {
  readonly server: string;
  readonly fingerprint: string;
}

export interface CatalogEntry extends CatalogKey {
  readonly listedAt: number;
  readonly text: string;
}

/**
 * The last tool list of each server. An entry survives a power loss only after the next durable change. If an entry is
 * lost, the gateway requests the tool list again.
 */
export interface CatalogRecords {
  /** Returns the stored texts in the order of the keys; undefined for a key without an entry. */
  read(keys: readonly CatalogKey[]): Promise<readonly (string | undefined)[]>;
  write(entry: CatalogEntry): Promise<void>;
  /** Deletes entries whose tool list was received before this time. */
  forget(before: number): Promise<void>;
}
