import { type Archive, readArchive, toArchive, type ToldArchive } from "./audit-archives.js";
import type { AuditMark, AuditRecord, AuditRecords, Checkpoint } from "./audit-records.js";
import {
  CHAIN_START,
  type ChainFinding,
  findCut,
  followRecords,
  followStored,
  isSame,
  type StoredChain,
  untold,
  type Vouched,
  vouchedFor,
} from "./verify-chain.js";

export interface HistoryParts {
  readonly audit: AuditRecords;
  readonly archiveFolder: string;
  /** Checkpoints that are kept elsewhere than in the store. */
  readonly outside: readonly Checkpoint[];
  /** Of the key that signs; undefined when there is none. */
  readonly keyId: string | undefined;
  readonly isSigned: (checkpoint: Checkpoint) => boolean;
}

export interface HistoryReport {
  /** Of the whole history, archives included. */
  readonly records: number;
  readonly head: AuditMark;
  readonly archives: number;
  readonly checkpoints: number;
  /** The last record that a good checkpoint covers; 0 for none. */
  readonly signedThrough: number;
  /** Records whose checkpoints were signed with a key that is not there any more. */
  readonly earlierKey: readonly number[];
  /** Empty when all is as it was written; else the first bad record first. */
  readonly findings: readonly ChainFinding[];
}

/** Follows all that was ever recorded, archives first to last, and everything that vouches for it. */
export async function verifyHistory(parts: HistoryParts): Promise<HistoryReport> {
  const { audit } = parts;
  // Before the records: whatever a checkpoint vouches for was written before it.
  const checkpoints = await audit.checkpoints();
  const vouched = vouchedFor({ ...parts, inside: checkpoints });
  const expected = new Map([...vouched.earlier, ...vouched.hashes]);
  const stored = await followStored(audit, expected);
  const findings = [stored.finding, findCut(stored.head, vouched)].filter((found) => found !== undefined);
  const doubtful = findings.map(({ seq }) => ({ from: lastBefore(seq, vouched) + 1, to: Number.POSITIVE_INFINITY }));
  // What tells of an archive may be bad itself: then nothing is known of the archive, and the record is named already.
  const isDoubtful = (teller: number): boolean => doubtful.some(({ from, to }) => teller >= from && teller <= to);
  let archives = 0;
  for await (const looked of walkArchives(parts.archiveFolder, stored)) {
    const { archive, from, through } = looked;
    if (archive !== undefined) archives += 1;
    const found = archive === undefined || isDoubtful(archive.toldBy) ? undefined : judge(looked, archive, expected);
    if (found !== undefined) {
      findings.push(found);
      doubtful.push({ from: found.seq, to: through.seq });
    } else if (from === undefined && findings.length === 0) findings.push(untold(looked.before));
  }
  return {
    records: stored.head.seq,
    head: stored.head,
    archives,
    checkpoints: checkpoints.length,
    signedThrough: vouched.through,
    earlierKey: [...vouched.earlier.keys()],
    findings: [...vouched.findings, ...findings].sort((one, other) => one.seq - other.seq),
  };
}

/** The last record before this one that a good checkpoint covers. */
function lastBefore(seq: number, { hashes }: Vouched): number {
  return Math.max(0, ...[...hashes.keys()].filter((each) => each < seq));
}

/** One step back in history: what must come before `next`, and what is there of it. */
export interface LookedArchive {
  /** The last record that must be there. */
  readonly through: AuditMark;
  /** Undefined when nothing in the chain tells of it. */
  readonly archive: ToldArchive | undefined;
  /** What its first record follows, where that is told. */
  readonly from: AuditMark | undefined;
  /** The last record before it, as far as that is known. */
  readonly before: AuditMark;
  /** Undefined when the file is missing. */
  readonly records: readonly AuditRecord[] | undefined;
  readonly isAsWritten: boolean;
}

/** The newest archive first: each one's place in the chain is told by a record after it. One at a time is in memory. */
export async function* walkArchives(
  folder: string,
  { start, archives }: Pick<StoredChain, "start" | "archives">,
): AsyncGenerator<LookedArchive> {
  const told = new Map(archives.map((archive) => [archive.through.seq, archive]));
  let through: AuditMark | undefined = start;
  while (through !== undefined && !isSame(through, CHAIN_START)) {
    const archive = told.get(through.seq);
    if (archive === undefined || !isSame(archive.through, through) || !(archive.first <= through.seq)) {
      yield { through, before: through, archive: undefined, from: undefined, records: undefined, isAsWritten: false };
      return;
    }
    const content = await readArchive(folder, archive);
    const records = content.kind === "read" ? content.records : undefined;
    for (const earlier of (records ?? []).flatMap((record) => toTold(record))) told.set(earlier.through.seq, earlier);
    const from = archive.first === 1 ? CHAIN_START : told.get(archive.first - 1)?.through;
    const isAsWritten = content.kind === "read" && content.isAsWritten;
    yield { through, archive, from, before: { seq: archive.first - 1, hash: "" }, records, isAsWritten };
    through = from;
  }
}

function toTold(record: AuditRecord): ToldArchive[] {
  const archive = toArchive(record);
  return archive === undefined ? [] : [archive];
}

function judge(looked: LookedArchive, archive: Archive, expected: Vouched["hashes"]): ChainFinding | undefined {
  const { through, from, records, isAsWritten } = looked;
  const { first, name } = archive;
  if (records === undefined)
    return { seq: first, reason: `its archive ${name} is missing, with all up to ${through.seq}` };
  const broken = from === undefined ? undefined : followRecords(records, from, expected);
  if (broken !== undefined) return inArchive(broken, name);
  const last = records.at(-1);
  if (last === undefined || !isSame(last, through)) {
    return { seq: (last?.seq ?? first - 1) + 1, reason: `it is missing in its archive ${name}` };
  }
  return isAsWritten ? undefined : { seq: first, reason: `its archive ${name} is not the file that was written` };
}

function inArchive({ seq, reason }: ChainFinding, name: string): ChainFinding {
  return { seq, reason: `${reason} (in its archive ${name})` };
}
