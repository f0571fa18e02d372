import { randomBytes } from "node:crypto";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { DiscoveryError } from "../../../errors.js";
import { type Archive, readArchive } from "../../../store/audit-archives.js";
import type { AuditRecords } from "../../../store/audit-records.js";
import { followStored, type StoredChain } from "../../../store/verify-chain.js";
import { walkArchives } from "../../../store/verify-history.js";
import { sanitizeJson } from "../../../util/terminal.js";
import { matchesQuery } from "./matches-query.js";
import { type AuditFilter, type ShownRecord, toShown } from "./records.js";

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

/** What a rotation moves from the store into an archive while this reads is taken from there. */
async function writeAll(handle: FileHandle, parts: ExportParts): Promise<Exported> {
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
      const content = await readArchive(archiveFolder, archive);
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

/** Those in the store, up to where a rotation has taken some away; tells how far that was. */
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

/** Oldest first: those with records after a place. */
async function findArchives(
  folder: string,
  { stored, after }: { readonly stored: StoredChain; readonly after: number },
  missing: Set<string>,
): Promise<Archive[]> {
  const archives: Archive[] = [];
  for await (const { archive, records, through } of walkArchives(folder, stored)) {
    if (through.seq <= after) break;
    if (archive === undefined) missing.add("an archive that nothing tells of");
    else if (records === undefined) missing.add(archive.name);
    else archives.unshift(archive);
  }
  return archives;
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
