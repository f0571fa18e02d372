import { setImmediate } from "node:timers/promises";
import { toArchive, type ToldArchive } from "./audit-archives.js";
import type { AuditMark, AuditRecord, AuditRecords, Checkpoint } from "./audit-records.js";
import { chainHash } from "./chain-hash.js";

/** A record that is not what was written, and why. */
export interface ChainFinding {
  readonly seq: number;
  readonly reason: string;
}

export type ChainVerdict =
  | { readonly kind: "whole"; readonly head: AuditMark; readonly records: number }
  | ({ readonly kind: "broken" } & ChainFinding);

export const CHAIN_START: AuditMark = { seq: 0, hash: "0".repeat(64) };

/**
 * Follows the chain from where it starts here to its end, and names the first record that is not what was written.
 * `isSigned` says whether a checkpoint's signature is good: only a checkpoint shows that the end was cut off or made anew.
 */
export async function verifyChain(
  audit: AuditRecords,
  isSigned: (checkpoint: Checkpoint) => boolean,
): Promise<ChainVerdict> {
  const vouched = vouchedFor(await audit.checkpoints(), isSigned);
  const { start, head, finding, archives } = await followStored(audit, vouched.hashes);
  const isStartTold = isSame(start, CHAIN_START) || archives.some(({ through }) => isSame(through, start));
  const broken = vouched.findings[0] ?? finding ?? findCut(head, vouched) ?? (isStartTold ? undefined : untold(start));
  return broken === undefined ? { kind: "whole", head, records: head.seq - start.seq } : { kind: "broken", ...broken };
}

/** What good checkpoints say, and what is wrong with the others. */
export interface Vouched {
  readonly hashes: ReadonlyMap<number, string>;
  /** The last record that a checkpoint covers; 0 for none. */
  readonly through: number;
  readonly findings: readonly ChainFinding[];
}

export function vouchedFor(checkpoints: readonly Checkpoint[], isSigned: (checkpoint: Checkpoint) => boolean): Vouched {
  const hashes = new Map<number, string>();
  const findings: ChainFinding[] = [];
  for (const checkpoint of checkpoints) {
    const { seq, hash } = checkpoint;
    if (!isSigned(checkpoint)) findings.push({ seq, reason: "its checkpoint is not signed by us" });
    else if ((hashes.get(seq) ?? hash) !== hash) findings.push({ seq, reason: "two checkpoints of it differ" });
    else hashes.set(seq, hash);
  }
  return { hashes, through: Math.max(0, ...hashes.keys()), findings };
}

/** The records in the store, followed up to the first that is wrong; archives are told by all of them. */
export interface StoredChain {
  readonly start: AuditMark;
  readonly head: AuditMark;
  readonly finding: ChainFinding | undefined;
  readonly archives: readonly ToldArchive[];
}

const MOST_ATTEMPTS = 5;

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

function outOfPlace(found: number, next: number): ChainFinding {
  return found > next ? { seq: next, reason: "it is missing" } : { seq: found, reason: "it does not belong here" };
}
