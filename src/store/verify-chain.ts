import { setImmediate } from "node:timers/promises";
import { toAuditArchive, type RecordedArchive } from "./audit-archives.js";
import type { AuditMark, AuditRecord, AuditRecords, CheckpointRecord } from "./audit-records.js";
import { chainHash } from "./chain-hash.js";
import { type Gap, gapId, toGap } from "./gap-records.js";

/** A record that was modified, moved or removed: its sequence number and what was found. */
export interface ChainFinding {
  readonly seq: number;
  readonly reason: string;
}

export const CHAIN_START: AuditMark = { seq: 0, hash: "0".repeat(64) };

/** The record hashes that checkpoints state, by sequence number. */
export interface CheckpointHashes {
  /** Hashes from checkpoints with a valid signature of the current key. */
  readonly hashes: ReadonlyMap<number, string>;
  /** Sequence number of the last record that a valid checkpoint covers; 0 if there is none. */
  readonly through: number;
  /**
   * Hashes from checkpoints of other keys, whose signatures cannot be verified: these can contradict the chain, but
   * prove nothing.
   */
  readonly earlier: ReadonlyMap<number, string>;
  readonly findings: readonly ChainFinding[];
}

export interface VerifyCheckpointParts {
  readonly inside: readonly CheckpointRecord[];
  /** Checkpoints that are stored outside the store, in a file. */
  readonly outside: readonly CheckpointRecord[];
  /** Id of the current signing key; undefined if there is none. */
  readonly keyId: string | undefined;
  readonly isSigned: (checkpoint: CheckpointRecord) => boolean;
}

/**
 * Collects the hashes that checkpoints state. Checkpoints of a replaced key stay in the store. One of them counts as
 * `earlier` if a valid checkpoint of the current key covers a later record; otherwise it is reported as a bad
 * signature.
 */
export function checkpointHashes({ inside, outside, keyId, isSigned }: VerifyCheckpointParts): CheckpointHashes {
  const hashes = new Map<number, string>();
  const findings: ChainFinding[] = [];
  const [others, ours] = [inside.filter((one) => one.keyId !== keyId), inside.filter((one) => one.keyId === keyId)];
  for (const checkpoint of [...ours, ...outside]) {
    const { seq, hash } = checkpoint;
    if (!isSigned(checkpoint)) findings.push(badSignature(seq));
    else if ((hashes.get(seq) ?? hash) !== hash)
      findings.push({ seq, reason: "two checkpoints of this record differ" });
    else hashes.set(seq, hash);
  }
  const through = Math.max(0, ...hashes.keys());
  const isEarlier = ({ seq }: CheckpointRecord): boolean => seq < through;
  findings.push(...others.filter((one) => !isEarlier(one)).map(({ seq }) => badSignature(seq)));
  const earlier = new Map(others.filter(isEarlier).map(({ seq, hash }) => [seq, hash]));
  return { hashes, through, earlier, findings };
}

/**
 * The result of verifying the records in the store up to the first bad one. `archives` has the archives that these
 * records describe.
 */
export interface StoredChain {
  readonly start: AuditMark;
  readonly head: AuditMark;
  readonly finding: ChainFinding | undefined;
  readonly archives: readonly RecordedArchive[];
  readonly gaps: readonly Gap[];
}

const MAX_ATTEMPTS = 5;

/** Reads and verifies the records in the store. `expected`: the hashes that checkpoints state. */
export async function followStored(audit: AuditRecords, expected: CheckpointHashes["hashes"]): Promise<StoredChain> {
  for (let attempt = 1; ; attempt += 1) {
    const followed = await follow(audit, expected);
    // A rotation in the meantime may have removed records that were about to be read: then try again.
    const isUnchanged = isSame(await audit.start(), followed.start);
    if (followed.finding === undefined || isUnchanged || attempt === MAX_ATTEMPTS) return followed;
  }
}

async function follow(audit: AuditRecords, expected: CheckpointHashes["hashes"]): Promise<StoredChain> {
  const start = await audit.start();
  const archives: RecordedArchive[] = [];
  const gaps: Gap[] = [];
  let head: AuditMark = start;
  let finding: ChainFinding | undefined;
  for (let page = await audit.read({}); page.length > 0; page = await audit.read({ after: head.seq })) {
    finding ??= followRecords(page, head, expected);
    archives.push(...page.flatMap((record) => toAuditArchive(record) ?? []));
    gaps.push(...page.flatMap((record) => toGap(record) ?? []));
    const { seq, hash } = page.at(-1) ?? head;
    // Reads run in this thread: yield, so that the caller can show progress or stop the verification.
    await setImmediate();
    // Sequence numbers that do not increase would cause an endless loop.
    if (seq <= head.seq) break;
    head = { seq, hash };
  }
  return { start, head, finding, archives, gaps };
}

/**
 * Verifies consecutive records. Returns the first one that does not follow from the previous one or differs from its
 * checkpoint.
 */
export function followRecords(
  records: readonly AuditRecord[],
  from: AuditMark,
  expected: CheckpointHashes["hashes"] = new Map(),
): ChainFinding | undefined {
  let previous = from;
  for (const record of records) {
    const { seq } = record;
    if (seq !== previous.seq + 1) return wrongNumber(seq, previous.seq + 1);
    if (record.hash !== chainHash(seq, previous.hash, record.body)) {
      return { seq, reason: "the body or the hash of this or an earlier record was changed" };
    }
    if ((expected.get(seq) ?? record.hash) !== record.hash)
      return { seq, reason: "the record differs from its checkpoint" };
    previous = record;
  }
  return undefined;
}

/**
 * Compares the chain with the newest record that is known to have been written. Returns nothing if a gap record in the
 * chain already says that this record was lost.
 */
export async function findLoss(
  audit: AuditRecords,
  { start, head }: StoredChain,
  newest: AuditMark | undefined,
): Promise<ChainFinding | undefined> {
  if (newest === undefined || newest.seq <= start.seq) return undefined;
  const [found] = await audit.read({ after: newest.seq - 1, limit: 1 });
  if (found?.seq === newest.seq && found.hash === newest.hash) return undefined;
  if ((await audit.read({ requestId: gapId(newest), kind: "gap", limit: 1 })).length > 0) return undefined;
  return newest.seq > head.seq
    ? missingThrough(head.seq + 1, newest.seq)
    : { seq: newest.seq, reason: "the record is not the one that was written" };
}

/** Returns the first missing record if records at the end of the chain were deleted. */
export function findTruncation({ seq }: AuditMark, { through }: CheckpointHashes): ChainFinding | undefined {
  return through > seq ? missingThrough(seq + 1, through) : undefined;
}

function missingThrough(seq: number, through: number): ChainFinding {
  return { seq, reason: `the record is missing, and all records up to at least ${through}` };
}
export function isSame(one: AuditMark, other: AuditMark): boolean {
  return one.seq === other.seq && one.hash === other.hash;
}

export function missingRotation({ seq }: AuditMark): ChainFinding {
  return { seq, reason: "the record and all before it are missing, and no rotation record explains it" };
}

function badSignature(seq: number): ChainFinding {
  return { seq, reason: "the checkpoint of the record is not signed with the current key" };
}

function wrongNumber(found: number, next: number): ChainFinding {
  return found > next
    ? { seq: next, reason: "the record is missing" }
    : { seq: found, reason: "the record is at the wrong position" };
}
