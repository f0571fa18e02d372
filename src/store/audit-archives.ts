import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../util/sha256.js";
import { sanitizeJson } from "../util/terminal.js";
import type { AuditBody, AuditMark, AuditRecord } from "./audit-records.js";

/** What the chain says of a file into which its oldest records were moved. */
export interface Archive {
  readonly name: string;
  readonly sha256: string;
  /** The number of its first record. */
  readonly first: number;
  /** Its last record. */
  readonly through: AuditMark;
}

export interface ToldArchive extends Archive {
  /** The record that tells of it. */
  readonly toldBy: number;
}

export type ArchiveContent =
  | { readonly kind: "missing" }
  /** `isAsWritten`: byte for byte. `records` are those up to the first line that is none. */
  | { readonly kind: "read"; readonly isAsWritten: boolean; readonly records: readonly AuditRecord[] };

/** The record of the removal itself, which goes into the chain. */
export function toRotationBody(archive: Archive, told: { readonly id: string; readonly now: number }): AuditBody {
  return {
    kind: "rotation",
    request_id: told.id,
    timestamp: new Date(told.now).toISOString(),
    archive: archive.name,
    archive_sha256: archive.sha256,
    first_seq: archive.first,
    through_seq: archive.through.seq,
    through_hash: archive.through.hash,
  };
}

/** Undefined for a record of anything else. */
export function toArchive({ seq: toldBy, body }: AuditRecord): ToldArchive | undefined {
  if (!body.includes('"kind":"rotation"')) return undefined;
  const record = parseObject(body);
  const { archive: name, archive_sha256: sum, first_seq: first, through_seq: seq, through_hash: hash } = record;
  if (record["kind"] !== "rotation" || typeof hash !== "string" || typeof seq !== "number") return undefined;
  return { name: String(name), sha256: String(sum), first: Number(first), through: { seq, hash }, toldBy };
}

export function archiveName(first: number, last: number, id: string): string {
  return `audit-${first}-${last}-${id}.jsonl`;
}

/** The text of an archive: one JSON object a line, also for who takes other characters for the end of a line. */
export function toArchiveText(records: readonly AuditRecord[]): string {
  return records.map(({ seq, hash, body }) => `${sanitizeJson(JSON.stringify({ seq, hash, body }))}\n`).join("");
}

export async function readArchive(folder: string, archive: Archive): Promise<ArchiveContent> {
  // The name comes from the database, which may be anybody's: it never leads out of the folder.
  if (!/^audit-\d+-\d+-[\w-]{1,64}\.jsonl$/.test(archive.name)) return { kind: "missing" };
  const text = await readFile(join(folder, archive.name), "utf8").catch(() => undefined);
  if (text === undefined) return { kind: "missing" };
  return { kind: "read", isAsWritten: sha256(text) === archive.sha256, records: parseArchive(text) };
}

/** The records up to the first line that is none. */
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
