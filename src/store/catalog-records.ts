/** A server as it is connected: the same name with another connection is another record. */
export interface CatalogKey {
  readonly server: string;
  readonly fingerprint: string;
}

export interface CatalogEntry extends CatalogKey {
  readonly listedAt: number;
  readonly text: string;
}

/** What servers answered last. Survives a power failure with the next durable change; a lost entry is only asked for again. */
export interface CatalogRecords {
  /** The texts in the order of the keys. */
  read(keys: readonly CatalogKey[]): Promise<readonly (string | undefined)[]>;
  /** The last write wins. */
  write(entry: CatalogEntry): Promise<void>;
  /** Forgets what was listed before then. */
  forget(before: number): Promise<void>;
}
