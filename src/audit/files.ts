import { join } from "node:path";

/** The paths of the files that belong to the audit log of a store. */
export interface AuditFiles {
  /** The key for hashes. */
  readonly keyFile: string;
  /** The key that signs checkpoints. */
  readonly signingKeyFile: string;
  /** The newest checkpoint. It is outside the database, because it protects the end of the chain in the database. */
  readonly checkpointFile: string;
  readonly archiveFolder: string;
}

/** A checkpoint belongs to one chain, so the name of its file is derived from the store's file. */
export function auditFiles(stateFolder: string, storeFile: string): AuditFiles {
  return {
    keyFile: join(stateFolder, "audit.key"),
    signingKeyFile: join(stateFolder, "audit-signing.key"),
    checkpointFile: `${storeFile}-checkpoint.json`,
    archiveFolder: join(stateFolder, "audit"),
  };
}
