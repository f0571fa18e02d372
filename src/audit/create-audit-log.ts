// What happens comes in, one entry at a time, and is on disk before the promise resolves; checkpoints vouch for it. It
// refuses to know results, and where the records lie.
import { DiscoveryError } from "../errors.js";
import { hashCanonical } from "../util/json/canonical.js";
import { deriveKey, type LocalKey } from "../util/local-key.js";
import type { AuditChain, ChainBody, Mark } from "./chain.js";
import { createCheckpoints } from "./checkpoints.js";
import type { AuditAct, AuditEntry } from "./entry.js";
import { createKeptOutcomes } from "./kept-outcomes.js";
import type { AuditOptions } from "./options.js";
import { toBody } from "./to-body.js";
import { isOverdue, toUnknownOutcome } from "./upkeep.js";

export interface AuditLog {
  /**
   * Is with the store when it returns, durable when it resolves; rejects with AUDIT_UNAVAILABLE. An outcome is then
   * kept, and written as it was when the store can take it.
   */
  record(entry: AuditEntry): Promise<void>;
  /** The same for what a person did, with an id and the time of day. */
  note(act: AuditAct): Promise<void>;
  /** Keyed hash of a JSON value; at once when the key was read before. */
  hash(value: unknown): string | Promise<string>;
  /** Opens what a record needs; rejects with AUDIT_UNAVAILABLE when none could be written. Undefined: all is open. */
  prepare(): Promise<void> | undefined;
  /** Gives every call that a gateway left without an outcome the outcome `unknown`; tells how many there were. */
  recover(): Promise<number>;
  /** Waits for what is under way and signs it. The store is closed after it. */
  close(): Promise<void>;
}

/** Records that have to go, and how. */
export interface RotationWish {
  readonly keepRecords: number;
  readonly keepMs: number;
  readonly now: number;
}

export interface AuditParts {
  readonly chain: AuditChain;
  /** Rejects when the store could not be written now; undefined when it was a moment ago. */
  readonly prepareStore: () => Promise<void> | undefined;
  /** Moves what the wish does not keep into an archive. */
  readonly rotate: (wish: RotationWish) => Promise<unknown>;
  readonly checkpointFile: string;
  readonly key: LocalKey;
  readonly signingKey: LocalKey;
  /** In force now: a reload may change them. */
  readonly options: () => AuditOptions;
  /** Hides secrets in arguments, where those are recorded. */
  readonly redact: (given: unknown) => unknown;
  readonly now: () => number;
  readonly newId: () => string;
  /** Runs something later, without keeping the process alive for it. */
  readonly schedule: (delayMs: number, run: () => void) => () => void;
  readonly log: (message: string) => void;
  readonly warn: (message: string) => void;
}

const LONGEST_UNSIGNED_MS = 10_000;
export const MOST_UNSIGNED = 1000;
const DAY_MS = 86_400_000;

/** Opens nothing until the first record: a start that executes no tool touches no file. */
export function createAuditLog(parts: AuditParts): AuditLog {
  const { chain, now, options } = parts;
  const checkpoints = createCheckpoints({ ...parts, file: parts.checkpointFile, key: parts.signingKey });
  let hashing: { readonly key: Buffer; readonly id: string } | undefined;
  let last: Mark | undefined;
  let unsigned = 0;
  /** Where the chain was when it was last signed from here: other processes write it too. */
  let since: number | undefined;
  let callOff: (() => void) | undefined;
  let upkeep: Promise<void> = Promise.resolve();
  let isClosed = false;

  const hashKey = async () => {
    hashing ??= toHashKey(await parts.key());
    return hashing;
  };

  const closeOrphans = async (): Promise<number> => {
    const orphans = (await chain.openIntents()).filter(({ isOrphan }) => isOrphan);
    if (orphans.length === 0) return 0;
    return (await chain.closeOrphans(orphans.map((orphan) => toUnknownOutcome(orphan, now())))).length;
  };

  const kept = createKeptOutcomes(async (outcomes) => remember(await chain.appendMissing(outcomes)));

  const keepUp = async (): Promise<void> => {
    try {
      await kept.write();
    } finally {
      await signAndRotate();
    }
  };

  const signAndRotate = async (): Promise<void> => {
    await checkpoints.sign(last);
    const { keepRecords, keepDays } = options();
    const wish = { keepRecords, keepMs: keepDays * DAY_MS, now: now() };
    if (!(await isOverdue(chain, wish))) return;
    // An intent that nobody will close keeps all records after it.
    await closeOrphans();
    await parts.rotate(wish);
    await checkpoints.sign(last);
  };

  /** One after the other. No call fails for it: what could not be signed now is signed with the next. */
  const startUpkeep = (): Promise<void> => {
    callOff?.();
    callOff = undefined;
    unsigned = 0;
    since = last?.seq;
    upkeep = upkeep.then(keepUp).catch((error: unknown) => {
      unsigned += 1;
      parts.log(`The audit record could not be completed, signed or rotated: ${describe(error)}`);
      if (kept.count > 0) startLater();
    });
    return upkeep;
  };

  const startLater = (): void => {
    if (!isClosed) callOff ??= parts.schedule(LONGEST_UNSIGNED_MS, () => void startUpkeep());
  };

  const remember = (marks: readonly Mark[]): void => {
    for (const mark of marks) if (last === undefined || mark.seq > last.seq) last = mark;
  };

  const written = (marks: readonly Mark[]): void => {
    remember(marks);
    unsigned += 1;
    since ??= (last?.seq ?? 1) - 1;
    const isDue = (last?.seq ?? 0) - since >= MOST_UNSIGNED || kept.count > 0;
    if (isDue && !isClosed) void startUpkeep();
    else startLater();
  };

  const record = async (entry: AuditEntry): Promise<void> => {
    const redact = options().arguments ? parts.redact : undefined;
    let body: ChainBody | undefined;
    try {
      body = toBody(entry, { keyId: hashing?.id, redact });
      // Nothing may wait before this: what the caller writes to the store in the same moment shares one sync with it.
      written(await (isUrgent(entry, options()) ? chain.append([body]) : chain.appendSoon([body])));
    } catch (error) {
      if (body?.kind === "outcome") {
        kept.keep(body);
        startLater();
      }
      throw toUnavailable(error);
    }
  };

  return {
    record,
    note(act) {
      const [request_id, timestamp] = [parts.newId(), new Date(now()).toISOString()];
      return record({ ...act, kind: "note", request_id, timestamp, actor_id: act.by });
    },
    hash: (value) =>
      hashing === undefined
        ? hashKey().then(({ key }) => hashCanonical(value, key))
        : hashCanonical(value, hashing.key),
    prepare() {
      const storing = parts.prepareStore();
      if (hashing !== undefined) return storing;
      return Promise.all([hashKey(), storing]).then(() => undefined);
    },
    async recover() {
      const closed = await closeOrphans();
      await startUpkeep();
      return closed;
    },
    async close() {
      isClosed = true;
      if (unsigned > 0 || kept.count > 0) void startUpkeep();
      callOff?.();
      await upkeep;
    },
  };
}

/** Whatever is not known to be harmless has to be on the disk before anybody hears of it. */
function isUrgent(entry: AuditEntry, { sync }: AuditOptions): boolean {
  return sync === "every" || entry.kind !== "outcome" || entry.risk !== "low";
}

function toHashKey(key: Buffer) {
  return { key: deriveKey(key, "params"), id: deriveKey(key, "key id").toString("hex").slice(0, 16) };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function toUnavailable(error: unknown): DiscoveryError {
  if (error instanceof DiscoveryError) return error;
  return new DiscoveryError("AUDIT_UNAVAILABLE", "The audit record could not be written.", {
    hint: "Try again; if it stays so, report it: this is a defect of the gateway.",
    cause: error,
  });
}
