import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type ArchiveDraft, openArchiveDraft } from "./archive-draft.js";
import { archiveName, toRotationBody } from "./audit-archives.js";
import type { AuditMark, AuditRecord, AuditRecords } from "./audit-records.js";
import { isSame } from "./verify-chain.js";

export interface RotationParts {
  readonly folder: string;
  readonly now: number;
  /** Sets this rotation apart from one that another process tries at the same time. */
  readonly id: string;
  /** So many of the newest records stay. */
  readonly keepRecords: number;
  /** Older records go, however few there are. */
  readonly keepMs: number;
}

export interface Rotation {
  readonly file: string;
  readonly first: number;
  readonly last: number;
}

const MOST_AT_ONCE = 10_000;
/** Reads run in this thread, and a record may have 8 KiB and more: calls under way get their turn between two pieces. */
const PIECE = 100;

/**
 * Moves the oldest records into a file, one JSON object a line, and records in the chain where they went: the file's last
 * hash is where the rest starts. Records from the oldest open intent on stay: its outcome may have to be made of it.
 * Undefined: there was nothing to move, or another process moved it.
 */
export async function rotateAudit(audit: AuditRecords, parts: RotationParts): Promise<Rotation | undefined> {
  const after = await audit.start();
  let draft: ArchiveDraft | undefined;
  let through: AuditMark | undefined;
  try {
    for await (const records of readOldest(audit, parts)) {
      // Who moves records meanwhile may have taken some of these from under us.
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

/** Those that have to go, a piece at a time, up to the first that stays. */
async function* readOldest(audit: AuditRecords, parts: RotationParts): AsyncGenerator<readonly AuditRecord[]> {
  const { seq: head } = await audit.head();
  const before = (await audit.openIntents())[0]?.seq ?? Number.MAX_SAFE_INTEGER;
  const tooMany = head - parts.keepRecords;
  const tooOld = new Date(parts.now - parts.keepMs).toISOString();
  let after = -1;
  for (let count = 0; count < MOST_AT_ONCE; count += PIECE) {
    const piece = await audit.read({ after, before, limit: PIECE });
    const staying = piece.findIndex(({ seq, body }) => seq > tooMany && timestampOf(body) >= tooOld);
    const going = staying === -1 ? piece : piece.slice(0, staying);
    const last = going.at(-1);
    if (last === undefined) return;
    yield going;
    if (staying !== -1) return;
    after = last.seq;
  }
}

function toMark(record: AuditRecord | undefined): AuditMark | undefined {
  return record && { seq: record.seq, hash: record.hash };
}

function timestampOf(body: string): string {
  return String((JSON.parse(body) as Record<string, unknown>)["timestamp"]);
}
