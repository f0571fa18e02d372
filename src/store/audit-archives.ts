import { join } from "node:path";
import { sha256 } from "../util/sha256.js";
import { sanitizeJson } from "../util/terminal.js";
import { readRegularText } from "../util/regular-file.js";
import type { AuditBody, AuditMark, AuditRecord } from "./audit-records.js";

/**
 * Describes an archive file with the oldest records of the chain; the rotation record in the chain has the same
 * content.
 */
export interface Archive {
  readonly name: string;
  readonly sha256: string;
  /** Sequence number of the first record in the archive. */
  readonly first: number;
  /** The last record in the archive. */
  readonly through: AuditMark;
}

export interface RecordedArchive extends Archive {
  /** Sequence number of the rotation record that describes this archive. */
  readonly recordedBy: number;
}

export type ArchiveContent =
  | { readonly kind: "missing" }
  /** `isUnmodified`: the file has the recorded SHA-256. `records` ends before the first line that is not a record. */
  | { readonly kind: "read"; readonly isUnmodified: boolean; readonly records: readonly AuditRecord[] };

/** Creates the rotation record, which is appended to the chain and describes the archive. */
export function toRotationBody(archive: Archive, rotation: { readonly id: string; readonly now: number }): AuditBody {
  return {
    kind: "rotation",
    request_id: rotation.id,
    timestamp: new Date(rotation.now).toISOString(),
    archive: archive.name,
    archive_sha256: archive.sha256,
    first_seq: archive.first,
    through_seq: archive.through.seq,
    through_hash: archive.through.hash,
  };
}

/** Returns the archive that a rotation record describes; undefined if the record is not a rotation record. */
export function toAuditArchive({ seq: recordedBy, body }: AuditRecord): RecordedArchive | undefined {
  if (!body.includes('"kind":"rotation"')) return undefined;
  const record = parseObject(body);
  const { archive: name, archive_sha256: sum, first_seq: first, through_seq: seq, through_hash: hash } = record;
  if (record["kind"] !== "rotation" || typeof hash !== "string" || typeof seq !== "number") return undefined;
  return { name: String(name), sha256: String(sum), first: Number(first), through: { seq, hash }, recordedBy };
}

export function archiveName(first: number, last: number, id: string): string {
  return `audit-${first}-${last}-${id}.jsonl`;
}

/** Writes one JSON object per line. Characters that some readers treat as line breaks (such as U+2028) are escaped. */
export function toArchiveText(records: readonly AuditRecord[]): string {
  return records.map(({ seq, hash, body }) => `${sanitizeJson(JSON.stringify({ seq, hash, body }))}\n`).join("");
}

export async function readAuditArchive(folder: string, archive: Archive): Promise<ArchiveContent> {
  // The name comes from the database, which an attacker may have written: it must not lead out of the folder.
  if (!/^audit-\d+-\d+-[\w-]{1,64}\.jsonl$/.test(archive.name)) return { kind: "missing" };
  const text = await readRegularText(join(folder, archive.name)).catch(() => undefined);
  if (text === undefined) return { kind: "missing" };
  return { kind: "read", isUnmodified: sha256(text) === archive.sha256, records: parseArchive(text) };
}

/** Returns the records up to the first line that is not a record. */
export function parseArchive(text: string): AuditRecord[] {
  const records: AuditRecord[] = [];
  for (const line of text.split("\n")) {
    const { seq, hash, body } = parseObject(line);
    if (typeof seq !== "number" || typeof hash !== "string" || typeof body !== "string") return records;
    records.push({ seq, hash, body });
  }
  return records;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
