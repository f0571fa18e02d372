import { join } from "node:path";

export interface AuditFiles {
  /** Of the key that serves hashes. */
  readonly keyFile: string;
  /** Of the key that signs checkpoints. */
  readonly signingKeyFile: string;
  /** The newest checkpoint, outside the database whose end it vouches for. */
  readonly checkpointFile: string;
  readonly archiveFolder: string;
}

/** A checkpoint is of one chain, so its file goes by the store's name. */
export function auditFiles(stateFolder: string, storeFile: string): AuditFiles {
  return {
    keyFile: join(stateFolder, "audit.key"),
    signingKeyFile: join(stateFolder, "audit-signing.key"),
    checkpointFile: `${storeFile}-checkpoint.json`,
    archiveFolder: join(stateFolder, "audit"),
  };
}
