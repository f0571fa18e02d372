import { randomBytes } from "node:crypto";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { DiscoveryError } from "../../../errors.js";
import { type Archive, readArchive } from "../../../store/audit-archives.js";
import type { AuditRecords } from "../../../store/audit-records.js";
import { followStored } from "../../../store/verify-chain.js";
import { walkArchives } from "../../../store/verify-history.js";
import { sanitizeJson } from "../../../util/terminal.js";
import { matchesQuery } from "./matches-query.js";
import { type AuditFilter, readBetween, type ShownRecord, toShown } from "./records.js";

export interface ExportParts {
  readonly audit: AuditRecords;
  readonly archiveFolder: string;
  readonly filter: AuditFilter;
  readonly file: string;
  readonly isForced: boolean;
}

export interface Exported {
  readonly records: number;
  /** Files that the chain tells of and that are not there. */
  readonly missing: readonly string[];
}

/** The whole history, oldest first, into a file that is there whole or not at all. */
export async function exportAudit(parts: ExportParts): Promise<Exported> {
  const { file, isForced } = parts;
  const draft = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const handle = await open(draft, "wx", 0o600);
    let exported: Exported;
    try {
      exported = await writeAll(handle, parts);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await (isForced ? rename(draft, file) : link(draft, file));
    return exported;
  } catch (error) {
    throw toFailure(error, file);
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeAll(handle: FileHandle, { audit, archiveFolder, filter }: ExportParts): Promise<Exported> {
  const stored = await followStored(audit, new Map());
  const archives: Archive[] = [];
  const missing: string[] = [];
  for await (const { archive, records } of walkArchives(archiveFolder, stored)) {
    if (archive === undefined) missing.push("an archive that nothing tells of");
    else if (records === undefined) missing.push(archive.name);
    else archives.unshift(archive);
  }
  let records = 0;
  const write = async (page: readonly ShownRecord[]): Promise<void> => {
    records += page.length;
    await handle.appendFile(page.map((record) => `${sanitizeJson(JSON.stringify(record))}\n`).join(""));
  };
  for (const archive of archives) {
    const content = await readArchive(archiveFolder, archive);
    if (content.kind === "missing") missing.push(archive.name);
    else await write(content.records.map(toShown).filter((record) => matchesQuery(record, filter)));
  }
  const range = { after: stored.start.seq, through: stored.head.seq };
  for await (const page of readBetween(audit, filter, range)) await write(page);
  return { records, missing };
}

function toFailure(error: unknown, file: string): unknown {
  if (error instanceof DiscoveryError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
  if (code === "EEXIST") {
    return new DiscoveryError("INVALID_REQUEST", `${file} exists already.`, {
      hint: "Name another file, or replace it with --force.",
    });
  }
  return new DiscoveryError("INVALID_REQUEST", `${file} could not be written (${code}).`, {
    hint: "Name a file in a folder that exists and that you may write to.",
    cause: error,
  });
}
