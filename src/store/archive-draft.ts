import { createHash, randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder } from "../util/private-files.js";
import { syncFolder } from "../util/sync-folder.js";
import { toArchiveText } from "./audit-archives.js";
import type { AuditRecord } from "./audit-records.js";

/** An archive that is written piece by piece: it has its name when it is whole. */
export interface ArchiveDraft {
  write(records: readonly AuditRecord[]): Promise<void>;
  /** Gives it its name, on the disk; tells the SHA-256 of its text. */
  publish(name: string): Promise<string>;
  /** Removes what was not published. */
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
