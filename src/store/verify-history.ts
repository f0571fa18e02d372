import { type Archive, readArchive, toArchive } from "./audit-archives.js";
import type { AuditMark, AuditRecord, AuditRecords, Checkpoint } from "./audit-records.js";
import {
  CHAIN_START,
  type ChainFinding,
  findCut,
  followRecords,
  followStored,
  isSame,
  untold,
  type Vouched,
  vouchedFor,
} from "./verify-chain.js";

export interface HistoryParts {
  readonly audit: AuditRecords;
  readonly archiveFolder: string;
  /** Checkpoints that are kept elsewhere than in the store. */
  readonly outside: readonly Checkpoint[];
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
  /** Empty when all is as it was written; else the first bad record first. */
  readonly findings: readonly ChainFinding[];
}

/** Follows all that was ever recorded, archives first to last, and everything that vouches for it. */
export async function verifyHistory(parts: HistoryParts): Promise<HistoryReport> {
  const { audit, outside, isSigned } = parts;
  // Before the records: whatever a checkpoint vouches for was written before it.
  const checkpoints = await audit.checkpoints();
  const vouched = vouchedFor([...checkpoints, ...outside], isSigned);
  const stored = await followStored(audit, vouched.hashes);
  const findings = [...vouched.findings];
  if (stored.finding !== undefined) findings.push(stored.finding);
  const cut = findCut(stored.head, vouched);
  if (cut !== undefined) findings.push(cut);
  let archives = 0;
  for await (const looked of walkArchives(parts.archiveFolder, stored)) {
    if (looked.archive !== undefined) archives += 1;
    findings.push(...judge(looked, vouched.hashes));
  }
  return {
    records: stored.head.seq,
    head: stored.head,
    archives,
    checkpoints: checkpoints.length,
    signedThrough: vouched.through,
    findings: findings.sort((one, other) => one.seq - other.seq),
  };
}

/** One step back in history: what must come before `next`, and what is there of it. */
export interface LookedArchive {
  /** The last record that must be there. */
  readonly through: AuditMark;
  /** Undefined when nothing in the chain tells of it. */
  readonly archive: Archive | undefined;
  /** What its first record follows, where that is told. */
  readonly from: AuditMark | undefined;
  /** Undefined when the file is missing. */
  readonly records: readonly AuditRecord[] | undefined;
  readonly isAsWritten: boolean;
}

/** The newest archive first: each one's place in the chain is told by a record after it. One at a time is in memory. */
export async function* walkArchives(
  folder: string,
  { start, archives }: { readonly start: AuditMark; readonly archives: readonly Archive[] },
): AsyncGenerator<LookedArchive> {
  const told = new Map(archives.map((archive) => [archive.through.seq, archive]));
  let through: AuditMark | undefined = start;
  while (through !== undefined && !isSame(through, CHAIN_START)) {
    const archive = told.get(through.seq);
    if (archive === undefined || !isSame(archive.through, through) || !(archive.first <= through.seq)) {
      yield { through, archive: undefined, from: undefined, records: undefined, isAsWritten: false };
      return;
    }
    const content = await readArchive(folder, archive);
    const records = content.kind === "read" ? content.records : undefined;
    for (const earlier of (records ?? []).flatMap((record) => toTold(record))) told.set(earlier.through.seq, earlier);
    const from = archive.first === 1 ? CHAIN_START : told.get(archive.first - 1)?.through;
    yield { through, archive, from, records, isAsWritten: content.kind === "read" && content.isAsWritten };
    through = from;
  }
}

function toTold(record: AuditRecord): Archive[] {
  const archive = toArchive(record);
  return archive === undefined ? [] : [archive];
}

function judge(looked: LookedArchive, expected: Vouched["hashes"]): ChainFinding[] {
  const { through, archive, from, records, isAsWritten } = looked;
  if (archive === undefined) return [untold(through)];
  const { first, name } = archive;
  if (records === undefined)
    return [{ seq: first, reason: `its archive ${name} is missing, with all up to ${through.seq}` }];
  const found: ChainFinding[] = [];
  if (from === undefined) found.push(untold({ seq: first - 1, hash: "" }));
  const [record] = records;
  const broken = from === undefined || record === undefined ? undefined : followRecords(records, from, expected);
  if (broken !== undefined) return [...found, inArchive(broken, name)];
  const last = records.at(-1);
  if (last === undefined || !isSame(last, through)) {
    return [...found, { seq: (last?.seq ?? first - 1) + 1, reason: `it is missing in its archive ${name}` }];
  }
  return isAsWritten
    ? found
    : [...found, { seq: first, reason: `its archive ${name} is not the file that was written` }];
}

function inArchive({ seq, reason }: ChainFinding, name: string): ChainFinding {
  return { seq, reason: `${reason} (in its archive ${name})` };
}
