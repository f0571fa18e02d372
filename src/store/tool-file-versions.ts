export interface ToolFileKey {
  readonly folder: string;
  readonly toolId: string;
}

export interface SeenVersion extends ToolFileKey {
  readonly version: string;
  /** The signing time that the file itself states. */
  readonly validatedAt: string;
  /** Determines which version is newer: ranks are compared byte by byte, and the greater one is newer. */
  readonly rank: string;
}

/** The newest version of each tool file that any process ever saw in a folder. */
export interface ToolFileVersions {
  seen(key: ToolFileKey): Promise<SeenVersion | undefined>;
  list(folder: string): Promise<readonly SeenVersion[]>;
  /** Stores each version that is newer than the stored one. Then returns the stored version of each file. */
  note(versions: readonly SeenVersion[]): Promise<readonly SeenVersion[]>;
  /** Stores the version that a user accepted, even if it is older than the stored one. */
  accept(version: SeenVersion): Promise<void>;
}
