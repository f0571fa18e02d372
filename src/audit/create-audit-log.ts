// The audit log of tool calls. `record` resolves when the store has written the entry, and signed checkpoints make
// later changes of entries detectable. Results of tools are never recorded.
import { DiscoveryError } from "../errors.js";
import { hashCanonical } from "../util/json/canonical.js";
import { deriveKey, type LocalKey } from "../util/local-key.js";
import type { AuditChain, ChainBody, Mark } from "./chain.js";
import { createCheckpoints, MAX_UNSIGNED_RECORDS } from "./checkpoints.js";
import type { AuditAct, AuditEntry } from "./entry.js";
import { createPendingOutcomes } from "./pending-outcomes.js";
import type { AuditOptions } from "./options.js";
import { toAuditBody } from "./to-body.js";
import { isOverdue, toUnknownOutcome } from "./maintenance.js";

export interface AuditLog {
  /**
   * Passes the entry to the store synchronously. Resolves when the store has written it, and rejects with
   * AUDIT_UNAVAILABLE otherwise. An outcome that could not be written is kept in memory and written unchanged when the
   * store works again.
   */
  record(entry: AuditEntry): Promise<void>;
  /** Records a user's action, such as an approval, with a new id and the current time. */
  note(act: AuditAct): Promise<void>;
  /** Keyed hash of a JSON value. Returns a promise only if the key has not been read yet. */
  hash(value: unknown): string | Promise<string>;
  /**
   * Opens the store and reads the hash key; rejects with AUDIT_UNAVAILABLE if no record could be written. Returns
   * undefined if both are ready already.
   */
  prepare(): Promise<void> | undefined;
  /**
   * Records the outcome `unknown` for every call whose gateway process ended before it recorded an outcome. Returns the
   * number of these calls.
   */
  recover(): Promise<number>;
  /** Waits for writes in progress and signs the written records. Call it before closing the store. */
  close(): Promise<void>;
}

/** The limits that decide which audit records are moved from the store into an archive file. */
export interface RotationLimits {
  readonly keepRecords: number;
  readonly keepMs: number;
  readonly now: number;
}

export interface AuditParts {
  readonly chain: AuditChain;
  /**
   * Checks whether the store can be written, and rejects if not. Returns undefined, without a check, if the last write
   * succeeded.
   */
  readonly prepareStore: () => Promise<void> | undefined;
  /** Moves the records that exceed the limits into an archive file. */
  readonly rotate: (limits: RotationLimits) => Promise<unknown>;
  readonly checkpointFile: string;
  readonly key: LocalKey;
  readonly signingKey: LocalKey;
  /** Returns the current options; a reload of the configuration may change them. */
  readonly options: () => AuditOptions;
  /** Replaces secrets in recorded arguments. */
  readonly redact: (value: unknown) => unknown;
  readonly now: () => number;
  readonly newId: () => string;
  /**
   * Runs a function after `delayMs`, without keeping the process alive until then. Returns a function that cancels it.
   */
  readonly schedule: (delayMs: number, run: () => void) => () => void;
  readonly log: (message: string) => void;
  readonly warn: (message: string) => void;
}

const MAX_UNSIGNED_MS = 10_000;
const DAY_MS = 86_400_000;

/**
 * Creates the audit log. It opens the store and reads the keys on first use, so a gateway that executes no tool
 * accesses none of their files.
 */
export function createAuditLog(parts: AuditParts): AuditLog {
  const { chain, now, options } = parts;
  const checkpoints = createCheckpoints({ ...parts, file: parts.checkpointFile, key: parts.signingKey });
  let hashing: { readonly key: Buffer; readonly id: string } | undefined;
  let last: Mark | undefined;
  let unsigned = 0;
  /**
   * Sequence number of this process's newest record when the log was last signed. The log is signed again when the
   * newest record is `MAX_UNSIGNED_RECORDS` after it; records of other processes in between count as well.
   */
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
    // Close orphaned intents first: only records before the oldest open intent can be moved into an archive.
    await closeOrphans();
    await parts.rotate(limits);
    await checkpoints.sign(last);
  };

  /**
   * Writes pending outcomes, signs the log and rotates it. Runs never overlap. If a run fails, no call is affected, and
   * the next run repeats the work.
   */
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
      // Do not await anything before this line: writes that the caller makes in the same tick share one disk sync with
      // this one.
      onWritten(await (mustSync(entry, options()) ? chain.append([body]) : chain.appendSoon([body])));
    } catch (error) {
      if (body?.kind === "outcome") {
        pending.add(body);
        scheduleMaintenance();
      }
      throw toAuditUnavailable(error);
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

/**
 * Whether an entry must be on disk before the caller receives the result: all except low-risk outcomes, or all if
 * `sync` is `every`.
 */
function mustSync(entry: AuditEntry, { sync }: AuditOptions): boolean {
  return sync === "every" || entry.kind !== "outcome" || entry.risk !== "low";
}

function toHashKey(key: Buffer) {
  return { key: deriveKey(key, "params"), id: deriveKey(key, "key id").toString("hex").slice(0, 16) };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Converts the reason why a record could not be written. */
export function toAuditUnavailable(error: unknown): DiscoveryError {
  if (error instanceof DiscoveryError) return error;
  return new DiscoveryError("AUDIT_UNAVAILABLE", "The audit record could not be written.", {
    hint: "Ask the operator to read the gateway's log. Check what the call has done before you repeat it.",
    cause: error,
  });
}
