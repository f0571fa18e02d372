import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { writePrivateFile } from "../util/private-files.js";
import { sha256 } from "../util/sha256.js";
import { syncFolder } from "../util/sync-folder.js";
import { archiveName, toArchiveText, toRotationBody } from "./audit-archives.js";
import type { AuditRecord, AuditRecords } from "./audit-records.js";

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

/**
 * Moves the oldest records into a file, one JSON object a line, and records in the chain where they went: the file's last
 * hash is where the rest starts. Records from the oldest open intent on stay. Undefined: there was nothing to move.
 */
export async function rotateAudit(audit: AuditRecords, parts: RotationParts): Promise<Rotation | undefined> {
  const records = await findOldest(audit, parts);
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const name = archiveName(first.seq, last.seq, parts.id);
  const file = join(parts.folder, name);
  const text = toArchiveText(records);
  await writePrivateFile(file, text);
  await syncFolder(parts.folder);
  const through = { seq: last.seq, hash: last.hash };
  const archive = { name, sha256: sha256(text), first: first.seq, through };
  if (await audit.remove({ through, rotation: toRotationBody(archive, parts) })) {
    return { file, first: first.seq, last: last.seq };
  }
  await rm(file, { force: true });
  return undefined;
}

async function findOldest(audit: AuditRecords, parts: RotationParts): Promise<AuditRecord[]> {
  const { seq: head } = await audit.head();
  const oldestOpen = (await audit.openIntents())[0]?.seq ?? Number.MAX_SAFE_INTEGER;
  const tooMany = head - parts.keepRecords;
  const tooOld = new Date(parts.now - parts.keepMs).toISOString();
  const records: AuditRecord[] = [];
  let page = await audit.read({ before: oldestOpen });
  while (page.length > 0) {
    const staying = page.findIndex(({ seq, body }) => seq > tooMany && timestampOf(body) >= tooOld);
    records.push(...page.slice(0, staying === -1 ? undefined : staying));
    const last = page.at(-1);
    if (last === undefined || staying !== -1 || records.length >= MOST_AT_ONCE) break;
    // Reads run in this thread; calls under way get their turn between them.
    await setImmediate();
    page = await audit.read({ after: last.seq, before: oldestOpen });
  }
  return records;
}

function timestampOf(body: string): string {
  return String((JSON.parse(body) as Record<string, unknown>)["timestamp"]);
}
