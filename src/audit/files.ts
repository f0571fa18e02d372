import { join } from "node:path";

/** The paths of the files that belong to the audit log of a store. */
export interface AuditFiles {
  /** The file with the key for the hashes of arguments. */
  readonly keyFile: string;
  /** The file with the key that signs checkpoints. */
  readonly signingKeyFile: string;
  /**
   * The file with the newest checkpoint. It is outside the database, so that a deletion of the newest records in the
   * database can be detected.
   */
  readonly checkpointFile: string;
  /** The file in which the store keeps the number and hash of the newest record, outside the database. */
  readonly newestFile: string;
  readonly archiveFolder: string;
}

/**
 * Returns the paths. A checkpoint belongs to the chain of one store, so the name of its file is derived from the
 * store's file.
 */
export function auditFiles(stateFolder: string, storeFile: string): AuditFiles {
  return {
    keyFile: join(stateFolder, "audit.key"),
    signingKeyFile: join(stateFolder, "audit-signing.key"),
    checkpointFile: `${storeFile}-checkpoint.json`,
    newestFile: `${storeFile}-newest.json`,
    archiveFolder: join(stateFolder, "audit"),
  };
}
