import { type Archive, readAuditArchive, toAuditArchive, type RecordedArchive } from "./audit-archives.js";
import type { AuditMark, AuditRecord, AuditRecords, CheckpointRecord } from "./audit-records.js";
import { type Gap, toGap } from "./gap-records.js";
import {
  CHAIN_START,
  type ChainFinding,
  findLoss,
  findTruncation,
  followRecords,
  followStored,
  isSame,
  type StoredChain,
  missingRotation,
  type CheckpointHashes,
  checkpointHashes,
} from "./verify-chain.js";

export interface HistoryParts {
  readonly audit: AuditRecords;
  readonly archiveFolder: string;
  /** Checkpoints that are stored outside the store, in a file. */
  readonly outside: readonly CheckpointRecord[];
  /** Id of the current signing key; undefined if there is none. */
  readonly keyId: string | undefined;
  readonly isSigned: (checkpoint: CheckpointRecord) => boolean;
  /**
   * The newest record that is known to have been written; undefined if it is not known. It must be read before the
   * verification starts.
   */
  readonly newest?: AuditMark | undefined;
}

/** The result of the verification of the hash chain with its archives and checkpoints. */
export interface HistoryReport {
  /** The number of records in the history, including archived ones. */
  readonly records: number;
  readonly head: AuditMark;
  readonly archives: number;
  readonly checkpoints: number;
  /** Sequence number of the last record that a valid checkpoint covers; 0 if there is none. */
  readonly signedThrough: number;
  /** Sequence numbers of records whose checkpoints were signed with a key that no longer exists. */
  readonly earlierKey: readonly number[];
  /** Losses of records that a gateway noticed and recorded, oldest first. */
  readonly gaps: readonly Gap[];
  /** The records that were modified, moved or removed, sorted by sequence number; empty if the history is intact. */
  readonly findings: readonly ChainFinding[];
}

/** Verifies the whole history (archives and stored records) against its hashes and checkpoints. */
export async function verifyHistory(parts: HistoryParts): Promise<HistoryReport> {
  const { audit } = parts;
  // Read the checkpoints before the records: every record that a checkpoint covers was written before it.
  const checkpoints = await audit.checkpoints();
  const signed = checkpointHashes({ ...parts, inside: checkpoints });
  const expected = new Map([...signed.earlier, ...signed.hashes]);
  const stored = await followStored(audit, expected);
  const ending = findTruncation(stored.head, signed) ?? (await findLoss(audit, stored, parts.newest));
  const findings = [stored.finding, ending].filter((found) => found !== undefined);
  const unverified = findings.map(({ seq }) => ({ from: lastBefore(seq, signed) + 1, to: Number.POSITIVE_INFINITY }));
  // Do not check archives whose rotation record is in an unverified range: it may be forged, and the range is reported.
  const isUnverified = (seq: number): boolean => unverified.some(({ from, to }) => seq >= from && seq <= to);
  let archives = 0;
  const gaps = [...stored.gaps];
  for await (const check of walkArchives(parts.archiveFolder, stored)) {
    const { archive, from, through } = check;
    if (archive !== undefined) archives += 1;
    gaps.unshift(...(check.records ?? []).flatMap((record) => toGap(record) ?? []));
    const found =
      archive === undefined || isUnverified(archive.recordedBy) ? undefined : checkArchive(check, archive, expected);
    if (found !== undefined) {
      findings.push(found);
      unverified.push({ from: found.seq, to: through.seq });
    } else if (from === undefined && findings.length === 0) findings.push(missingRotation(check.before));
  }
  return {
    records: stored.head.seq,
    head: stored.head,
    archives,
    checkpoints: checkpoints.length,
    signedThrough: signed.through,
    earlierKey: [...signed.earlier.keys()],
    gaps,
    findings: [...signed.findings, ...findings].sort((one, other) => one.seq - other.seq),
  };
}

/** Sequence number of the last record before `seq` that has a valid checkpoint; 0 if there is none. */
function lastBefore(seq: number, { hashes }: CheckpointHashes): number {
  return Math.max(0, ...[...hashes.keys()].filter((each) => each < seq));
}

/** What the verification of one archive file needs: its records, and where they must begin and end. */
export interface ArchiveCheck {
  /** The last record that the archive must contain. */
  readonly through: AuditMark;
  /** The description of the archive; undefined if no rotation record describes it. */
  readonly archive: RecordedArchive | undefined;
  /** The position just before the archive's first record; undefined if no rotation record states it. */
  readonly from: AuditMark | undefined;
  /** The last record before the archive. Its hash is empty if it is unknown. */
  readonly before: AuditMark;
  /** The records in the archive file; undefined if the file is missing. */
  readonly records: readonly AuditRecord[] | undefined;
  readonly isUnmodified: boolean;
}

/**
 * Yields the newest archive first, because the rotation record of an archive is in the store or in a newer archive.
 * Only one archive is in memory at a time.
 */
export async function* walkArchives(
  folder: string,
  { start, archives }: Pick<StoredChain, "start" | "archives">,
): AsyncGenerator<ArchiveCheck> {
  const recorded = new Map(archives.map((archive) => [archive.through.seq, archive]));
  let through: AuditMark | undefined = start;
  while (through !== undefined && !isSame(through, CHAIN_START)) {
    const archive = recorded.get(through.seq);
    if (archive === undefined || !isSame(archive.through, through) || !(archive.first <= through.seq)) {
      yield { through, before: through, archive: undefined, from: undefined, records: undefined, isUnmodified: false };
      return;
    }
    const content = await readAuditArchive(folder, archive);
    const records = content.kind === "read" ? content.records : undefined;
    for (const earlier of (records ?? []).flatMap((record) => toAuditArchive(record) ?? []))
      recorded.set(earlier.through.seq, earlier);
    const from = archive.first === 1 ? CHAIN_START : recorded.get(archive.first - 1)?.through;
    const isUnmodified = content.kind === "read" && content.isUnmodified;
    yield { through, archive, from, before: { seq: archive.first - 1, hash: "" }, records, isUnmodified };
    through = from;
  }
}

function checkArchive(
  check: ArchiveCheck,
  archive: Archive,
  expected: CheckpointHashes["hashes"],
): ChainFinding | undefined {
  const { through, from, records, isUnmodified } = check;
  const { first, name } = archive;
  if (records === undefined)
    return { seq: first, reason: `the archive ${name} with records ${first} to ${through.seq} is missing` };
  const broken = from === undefined ? undefined : followRecords(records, from, expected);
  if (broken !== undefined) return inArchive(broken, name);
  const last = records.at(-1);
  if (last === undefined || !isSame(last, through)) {
    return { seq: (last?.seq ?? first - 1) + 1, reason: `the record is missing in the archive ${name}` };
  }
  return isUnmodified ? undefined : { seq: first, reason: `the content of the archive ${name} was changed` };
}

function inArchive({ seq, reason }: ChainFinding, name: string): ChainFinding {
  return { seq, reason: `${reason} (in the archive ${name})` };
}
