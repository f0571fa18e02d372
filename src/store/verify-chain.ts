import { setImmediate } from "node:timers/promises";
import { toArchive, type ToldArchive } from "./audit-archives.js";
import type { AuditMark, AuditRecord, AuditRecords, Checkpoint } from "./audit-records.js";
import { chainHash } from "./chain-hash.js";

/** A record that is not what was written, and why. */
export interface ChainFinding {
  readonly seq: number;
  readonly reason: string;
}

export const CHAIN_START: AuditMark = { seq: 0, hash: "0".repeat(64) };

/** What checkpoints say. */
export interface Vouched {
  /** By good checkpoints. */
  readonly hashes: ReadonlyMap<number, string>;
  /** The last record that a good checkpoint covers; 0 for none. */
  readonly through: number;
  /** By checkpoints of other keys. Anybody may have made them: they can contradict the chain, and vouch for nothing. */
  readonly earlier: ReadonlyMap<number, string>;
  readonly findings: readonly ChainFinding[];
}

export interface CheckpointParts {
  readonly inside: readonly Checkpoint[];
  /** Those that are kept elsewhere than in the store. */
  readonly outside: readonly Checkpoint[];
  /** Undefined when there is no key. */
  readonly keyId: string | undefined;
  readonly isSigned: (checkpoint: Checkpoint) => boolean;
}

/** A key that was replaced leaves checkpoints in the store: the chain over them is vouched for by a later one of ours. */
export function vouchedFor({ inside, outside, keyId, isSigned }: CheckpointParts): Vouched {
  const hashes = new Map<number, string>();
  const findings: ChainFinding[] = [];
  const [others, ours] = [inside.filter((one) => one.keyId !== keyId), inside.filter((one) => one.keyId === keyId)];
  for (const checkpoint of [...ours, ...outside]) {
    const { seq, hash } = checkpoint;
    if (!isSigned(checkpoint)) findings.push(notOurs(seq));
    else if ((hashes.get(seq) ?? hash) !== hash) findings.push({ seq, reason: "two checkpoints of it differ" });
    else hashes.set(seq, hash);
  }
  const through = Math.max(0, ...hashes.keys());
  const isEarlier = ({ seq }: Checkpoint): boolean => seq < through;
  findings.push(...others.filter((one) => !isEarlier(one)).map(({ seq }) => notOurs(seq)));
  const earlier = new Map(others.filter(isEarlier).map(({ seq, hash }) => [seq, hash]));
  return { hashes, through, earlier, findings };
}

/** The records in the store, followed up to the first that is wrong; archives are told by all of them. */
export interface StoredChain {
  readonly start: AuditMark;
  readonly head: AuditMark;
  readonly finding: ChainFinding | undefined;
  readonly archives: readonly ToldArchive[];
}

const MOST_ATTEMPTS = 5;

/** `expected`: hashes that somebody has vouched for. */
export async function followStored(audit: AuditRecords, expected: Vouched["hashes"]): Promise<StoredChain> {
  for (let attempt = 1; ; attempt += 1) {
    const followed = await follow(audit, expected);
    // A rotation meanwhile took records away that this was about to read.
    const isUndisturbed = isSame(await audit.start(), followed.start);
    if (followed.finding === undefined || isUndisturbed || attempt === MOST_ATTEMPTS) return followed;
  }
}

async function follow(audit: AuditRecords, expected: Vouched["hashes"]): Promise<StoredChain> {
  const start = await audit.start();
  const archives: ToldArchive[] = [];
  let head: AuditMark = start;
  let finding: ChainFinding | undefined;
  for (let page = await audit.read({}); page.length > 0; page = await audit.read({ after: head.seq })) {
    finding ??= followRecords(page, head, expected);
    archives.push(...page.flatMap((record) => toArchive(record) ?? []));
    const { seq, hash } = page.at(-1) ?? head;
    // Reads run in this thread: who waits for the end of this can be told how far it is, and stop it.
    await setImmediate();
    // Numbers that do not grow would be read for ever.
    if (seq <= head.seq) break;
    head = { seq, hash };
  }
  return { start, head, finding, archives };
}

/** The first of the records that does not follow from the one before it. */
export function followRecords(
  records: readonly AuditRecord[],
  from: AuditMark,
  expected: Vouched["hashes"] = new Map(),
): ChainFinding | undefined {
  let previous = from;
  for (const record of records) {
    const { seq } = record;
    if (seq !== previous.seq + 1) return outOfPlace(seq, previous.seq + 1);
    if (record.hash !== chainHash(seq, previous.hash, record.body)) {
      return { seq, reason: "its text or its hash was changed, or something before it" };
    }
    if ((expected.get(seq) ?? record.hash) !== record.hash) return { seq, reason: "it differs from its checkpoint" };
    previous = record;
  }
  return undefined;
}

/** The first record of an end that was cut off. */
export function findCut({ seq }: AuditMark, { through }: Vouched): ChainFinding | undefined {
  return through > seq ? { seq: seq + 1, reason: `it is missing, with all up to ${through} at least` } : undefined;
}

export function isSame(one: AuditMark, other: AuditMark): boolean {
  return one.seq === other.seq && one.hash === other.hash;
}

export function untold({ seq }: AuditMark): ChainFinding {
  return { seq, reason: "it and all before it are missing without a record of a rotation" };
}

function notOurs(seq: number): ChainFinding {
  return { seq, reason: "its checkpoint is not signed by us" };
}

function outOfPlace(found: number, next: number): ChainFinding {
  return found > next ? { seq: next, reason: "it is missing" } : { seq: found, reason: "it does not belong here" };
}
