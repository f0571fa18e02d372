export interface ToolFileKey {
  readonly folder: string;
  readonly toolId: string;
}

export interface SeenVersion extends ToolFileKey {
  readonly version: string;
  /** When the file was signed, as it says itself. */
  readonly validatedAt: string;
  /** Compared as text, byte by byte: of two, the greater is the newer. */
  readonly rank: string;
}

/** The newest version of each tool file that was ever seen in a folder, by any process. */
export interface ToolFileVersions {
  seen(key: ToolFileKey): Promise<SeenVersion | undefined>;
  list(folder: string): Promise<readonly SeenVersion[]>;
  /** Keeps each that is newer than what stands, and gives for each what stands then. */
  note(versions: readonly SeenVersion[]): Promise<readonly SeenVersion[]>;
  /** A person's word: what is given stands, be it older or newer. */
  accept(version: SeenVersion): Promise<void>;
}
