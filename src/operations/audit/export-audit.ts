import type { FileHandle } from "node:fs/promises";
import { type Archive, readAuditArchive } from "../../store/audit-archives.js";
import type { AuditRecords } from "../../store/audit-records.js";
import { followStored, type StoredChain } from "../../store/verify-chain.js";
import { walkArchives } from "../../store/verify-history.js";
import { sanitizeJson } from "../../util/terminal.js";
import { writeOutput } from "../files/write-output.js";
import { matchesQuery } from "./matches-query.js";
import { type AuditFilter, type ShownRecord, toShown } from "./records.js";

/** @internal */
export interface ExportParts {
  readonly audit: AuditRecords;
  readonly archiveFolder: string;
  readonly filter: AuditFilter;
  readonly file: string;
  readonly isForced: boolean;
}

/** The result of an export of the audit log. */
export interface ExportedAudit {
  readonly records: number;
  /** Archives that the hash chain refers to but that do not exist. */
  readonly missing: readonly string[];
}

/**
 * Writes the matching records of the store and the archives, oldest first. The file appears only when it is complete.
 * @internal
 */
export async function exportAudit(parts: ExportParts): Promise<ExportedAudit> {
  const { file, isForced } = parts;
  return await writeOutput(file, { isForced, mode: 0o600 }, (handle) => writeAll(handle, parts));
}

/**
 * Writes all matching records. If a rotation moves unread records into an archive meanwhile, reads them from the
 * archive.
 */
async function writeAll(handle: FileHandle, parts: ExportParts): Promise<ExportedAudit> {
  const { audit, archiveFolder, filter } = parts;
  const missing = new Set<string>();
  const { seq: through } = await audit.head();
  let records = 0;
  const write = async (page: readonly ShownRecord[]): Promise<void> => {
    records += page.length;
    await handle.appendFile(page.map((record) => `${sanitizeJson(JSON.stringify(record))}\n`).join(""));
  };
  for (let after = -1; after < through; ) {
    const stored = await followStored(audit, new Map());
    for (const archive of await findArchives(archiveFolder, { stored, after }, missing)) {
      const content = await readAuditArchive(archiveFolder, archive);
      if (content.kind === "missing") missing.add(archive.name);
      else {
        const wanted = content.records.filter(({ seq }) => seq > after && seq <= through).map(toShown);
        await write(wanted.filter((record) => matchesQuery(record, filter)));
      }
    }
    after = await writeStored(parts, { after: Math.max(after, stored.start.seq), through }, write);
  }
  return { records, missing: [...missing] };
}

/**
 * Writes the records in the store until the end, or until a rotation has moved unread records into an archive. Returns
 * the record number up to which all matching records have been written.
 */
async function writeStored(
  { audit, filter }: ExportParts,
  range: { readonly after: number; readonly through: number },
  write: (page: readonly ShownRecord[]) => Promise<void>,
): Promise<number> {
  let { after } = range;
  for (;;) {
    const page = await audit.read({ ...filter.query, after, before: range.through + 1 });
    if ((await audit.start()).seq > after) return after;
    const last = page.at(-1);
    if (last === undefined) return range.through;
    await write(page.map(toShown).filter(filter.accepts));
    after = last.seq;
  }
}

/** The archives that contain records after the given record number, oldest first. */
async function findArchives(
  folder: string,
  { stored, after }: { readonly stored: StoredChain; readonly after: number },
  missing: Set<string>,
): Promise<Archive[]> {
  const archives: Archive[] = [];
  for await (const { archive, records, through } of walkArchives(folder, stored)) {
    if (through.seq <= after) break;
    if (archive === undefined) missing.add("an archive whose name is unknown");
    else if (records === undefined) missing.add(archive.name);
    else archives.unshift(archive);
  }
  return archives;
}
