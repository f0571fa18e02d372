import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type ArchiveDraft, openArchiveDraft } from "./archive-draft.js";
import { archiveName, toRotationBody } from "./audit-archives.js";
import type { AuditMark, AuditRecord, AuditRecords } from "./audit-records.js";
import { isSame } from "./verify-chain.js";

export interface RotationParts {
  readonly folder: string;
  readonly now: number;
  /** A unique id, which distinguishes this rotation from one that another process tries at the same time. */
  readonly id: string;
  /** The number of newest records that stay in the store. */
  readonly keepRecords: number;
  /** Records older than this many milliseconds are moved, even if the store has fewer than `keepRecords` records. */
  readonly keepMs: number;
}

export interface Rotation {
  readonly file: string;
  readonly first: number;
  readonly last: number;
}

const MAX_RECORDS_PER_ROTATION = 10_000;
/**
 * The number of records in one read. Reads block the event loop, and a record may be larger than 8 KiB; calls in
 * progress continue between two reads.
 */
const BATCH_SIZE = 100;

/**
 * Moves the oldest records into an archive file, one JSON object per line, and appends a rotation record that names the
 * file. The remaining chain continues from the last hash in the file. The oldest open intent and all later records stay
 * in the store, because the outcome of that intent may have to be reconstructed from it. Returns undefined if there was
 * nothing to move, or if another process moved the records.
 */
export async function rotateAudit(audit: AuditRecords, parts: RotationParts): Promise<Rotation | undefined> {
  const after = await audit.start();
  let draft: ArchiveDraft | undefined;
  let through: AuditMark | undefined;
  try {
    for await (const records of readOldest(audit, parts)) {
      // Another process may have rotated in the meantime and removed some of these records.
      if (!isSame(await audit.start(), after)) return undefined;
      draft ??= await openArchiveDraft(parts.folder);
      await draft.write(records);
      through = toMark(records.at(-1)) ?? through;
    }
    if (draft === undefined || through === undefined) return undefined;
    const first = after.seq + 1;
    const name = archiveName(first, through.seq, parts.id);
    const archive = { name, sha256: await draft.publish(name), first, through };
    const file = join(parts.folder, name);
    const isRemoved = await audit.remove({ after, through, rotation: toRotationBody(archive, parts) });
    if (isRemoved) return { file, first, last: through.seq };
    await rm(file, { force: true });
    return undefined;
  } finally {
    await draft?.close();
  }
}

/** Yields the records to move in batches, up to the first record that stays. */
async function* readOldest(audit: AuditRecords, parts: RotationParts): AsyncGenerator<readonly AuditRecord[]> {
  const { seq: head } = await audit.head();
  const before = (await audit.openIntents())[0]?.seq ?? Number.MAX_SAFE_INTEGER;
  const tooMany = head - parts.keepRecords;
  const tooOld = new Date(parts.now - parts.keepMs).toISOString();
  let after = -1;
  for (let count = 0; count < MAX_RECORDS_PER_ROTATION; count += BATCH_SIZE) {
    const batch = await audit.read({ after, before, limit: BATCH_SIZE });
    const firstToKeep = batch.findIndex(({ seq, body }) => seq > tooMany && timestampOf(body) >= tooOld);
    const toMove = firstToKeep === -1 ? batch : batch.slice(0, firstToKeep);
    const last = toMove.at(-1);
    if (last === undefined) return;
    yield toMove;
    if (firstToKeep !== -1) return;
    after = last.seq;
  }
}

function toMark(record: AuditRecord | undefined): AuditMark | undefined {
  return record && { seq: record.seq, hash: record.hash };
}

function timestampOf(body: string): string {
  return String((JSON.parse(body) as Record<string, unknown>)["timestamp"]);
}
