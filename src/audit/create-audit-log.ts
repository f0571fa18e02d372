// The audit log. Each entry is on disk before its promise resolves, and signed checkpoints cover the entries. Results
// of tools are never recorded.
import { DiscoveryError } from "../errors.js";
import { hashCanonical } from "../util/json/canonical.js";
import { deriveKey, type LocalKey } from "../util/local-key.js";
import type { AuditChain, ChainBody, Mark } from "./chain.js";
import { createCheckpoints } from "./checkpoints.js";
import type { AuditAct, AuditEntry } from "./entry.js";
import { createPendingOutcomes } from "./pending-outcomes.js";
import type { AuditOptions } from "./options.js";
import { toAuditBody } from "./to-body.js";
import { isOverdue, toUnknownOutcome } from "./maintenance.js";

export interface AuditLog {
  /**
   * Passes the entry to the store synchronously; resolves when it is durable, and rejects with AUDIT_UNAVAILABLE. A
   * rejected outcome is kept in memory and written unchanged when the store works again.
   */
  record(entry: AuditEntry): Promise<void>;
  /** Records a user's action, with a new id and the current time. */
  note(act: AuditAct): Promise<void>;
  /** Keyed hash of a JSON value. Synchronous if the key has been read before. */
  hash(value: unknown): string | Promise<string>;
  /**
   * Opens the store and the key; rejects with AUDIT_UNAVAILABLE if no record could be written. Undefined if both are
   * open.
   */
  prepare(): Promise<void> | undefined;
  /** Records the outcome `unknown` for every call that an ended gateway left without one; returns their number. */
  recover(): Promise<number>;
  /** Waits for writes in progress and signs them. Call it before closing the store. */
  close(): Promise<void>;
}

/** The limits that decide which records move into an archive. */
export interface RotationLimits {
  readonly keepRecords: number;
  readonly keepMs: number;
  readonly now: number;
}

export interface AuditParts {
  readonly chain: AuditChain;
  /** Rejects if the store cannot be written; returns undefined if the last write succeeded. */
  readonly prepareStore: () => Promise<void> | undefined;
  /** Moves the records beyond the limits into an archive. */
  readonly rotate: (limits: RotationLimits) => Promise<unknown>;
  readonly checkpointFile: string;
  readonly key: LocalKey;
  readonly signingKey: LocalKey;
  /** Returns the current options, which a reload may change. */
  readonly options: () => AuditOptions;
  /** Replaces secrets in recorded arguments. */
  readonly redact: (value: unknown) => unknown;
  readonly now: () => number;
  readonly newId: () => string;
  /** Runs a function later, without keeping the process alive for it. */
  readonly schedule: (delayMs: number, run: () => void) => () => void;
  readonly log: (message: string) => void;
  readonly warn: (message: string) => void;
}

const MAX_UNSIGNED_MS = 10_000;
export const MAX_UNSIGNED_RECORDS = 1000;
const DAY_MS = 86_400_000;

/** Opens nothing before the first record: a start that executes no tool touches no file. */
export function createAuditLog(parts: AuditParts): AuditLog {
  const { chain, now, options } = parts;
  const checkpoints = createCheckpoints({ ...parts, file: parts.checkpointFile, key: parts.signingKey });
  let hashing: { readonly key: Buffer; readonly id: string } | undefined;
  let last: Mark | undefined;
  let unsigned = 0;
  /** The head of the chain at the last signing by this process; other processes append to the chain too. */
  let signedAtSeq: number | undefined;
  let cancelScheduled: (() => void) | undefined;
  let maintenance: Promise<void> = Promise.resolve();
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

  const pending = createPendingOutcomes(async (outcomes) => remember(await chain.appendMissing(outcomes)));

  const maintain = async (): Promise<void> => {
    try {
      await pending.write();
    } finally {
      await signAndRotate();
    }
  };

  const signAndRotate = async (): Promise<void> => {
    await checkpoints.sign(last);
    const { keepRecords, keepDays } = options();
    const limits = { keepRecords, keepMs: keepDays * DAY_MS, now: now() };
    if (!(await isOverdue(chain, limits))) return;
    // An open intent that no process will close would keep all records after it in the store.
    await closeOrphans();
    await parts.rotate(limits);
    await checkpoints.sign(last);
  };

  /** Runs one at a time. A failure affects no call: the next run repeats the work. */
  const startMaintenance = (): Promise<void> => {
    cancelScheduled?.();
    cancelScheduled = undefined;
    unsigned = 0;
    signedAtSeq = last?.seq;
    maintenance = maintenance.then(maintain).catch((error: unknown) => {
      unsigned += 1;
      parts.log(`Maintenance of the audit log failed: ${describe(error)}`);
      if (pending.count > 0) scheduleMaintenance();
    });
    return maintenance;
  };

  const scheduleMaintenance = (): void => {
    if (!isClosed) cancelScheduled ??= parts.schedule(MAX_UNSIGNED_MS, () => void startMaintenance());
  };

  const remember = (marks: readonly Mark[]): void => {
    for (const mark of marks) if (last === undefined || mark.seq > last.seq) last = mark;
  };

  const onWritten = (marks: readonly Mark[]): void => {
    remember(marks);
    unsigned += 1;
    signedAtSeq ??= (last?.seq ?? 1) - 1;
    const isDue = (last?.seq ?? 0) - signedAtSeq >= MAX_UNSIGNED_RECORDS || pending.count > 0;
    if (isDue && !isClosed) void startMaintenance();
    else scheduleMaintenance();
  };

  const record = async (entry: AuditEntry): Promise<void> => {
    const redact = options().arguments ? parts.redact : undefined;
    let body: ChainBody | undefined;
    try {
      body = toAuditBody(entry, { keyId: hashing?.id, redact });
      // Do not await anything before this line: other writes of the caller in the same tick share one disk sync with it.
      onWritten(await (mustSync(entry, options()) ? chain.append([body]) : chain.appendSoon([body])));
    } catch (error) {
      if (body?.kind === "outcome") {
        pending.add(body);
        scheduleMaintenance();
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
      await startMaintenance();
      return closed;
    },
    async close() {
      isClosed = true;
      if (unsigned > 0 || pending.count > 0) void startMaintenance();
      cancelScheduled?.();
      await maintenance;
    },
  };
}

/** Every entry except a low-risk outcome must be on disk before the caller receives the result. */
function mustSync(entry: AuditEntry, { sync }: AuditOptions): boolean {
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
    hint: "Try again. If the failure persists, report it as a defect of the gateway.",
    cause: error,
  });
}
