import { createHash, randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder } from "../util/private-files.js";
import { syncFolder } from "../util/sync-folder.js";
import { toArchiveText } from "./audit-archives.js";
import type { AuditRecord } from "./audit-records.js";

/** An archive file that is written in several steps under a temporary name and renamed when it is complete. */
export interface ArchiveDraft {
  write(records: readonly AuditRecord[]): Promise<void>;
  /** Syncs the file to disk, renames it and returns the SHA-256 of its content. */
  publish(name: string): Promise<string>;
  /** Closes the file. If it was not published, deletes it. */
  close(): Promise<void>;
}

export async function openArchiveDraft(folder: string): Promise<ArchiveDraft> {
  await ensurePrivateFolder(folder);
  const file = join(folder, `${randomUUID()}.tmp`);
  const handle = await open(file, "wx", 0o600);
  const hash = createHash("sha256");
  return {
    async write(records) {
      const bytes = Buffer.from(toArchiveText(records));
      hash.update(bytes);
      await handle.appendFile(bytes);
    },
    async publish(name) {
      await handle.datasync();
      await handle.close();
      await rename(file, join(folder, name));
      await syncFolder(folder);
      return hash.digest("hex");
    },
    async close() {
      await handle.close();
      await rm(file, { force: true });
    },
  };
}
