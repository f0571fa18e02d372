import { readdir } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { readCheckpointFile } from "../../audit/checkpoint-file.js";
import { MAX_UNSIGNED_RECORDS } from "../../audit/checkpoints.js";
import type { AuditFiles } from "../../audit/files.js";
import { findUnreadable } from "./find-unreadable.js";
import { createSigner } from "../../audit/signer.js";
import type { AuditRecords } from "../../store/audit-records.js";
import { readNewestRecord } from "../../store/newest-record.js";
import type { ChainFinding } from "../../store/verify-chain.js";
import { type HistoryReport, verifyHistory } from "../../store/verify-history.js";
import { readLocalKey } from "../../util/local-key.js";

/** The result of the verification of the audit log: its hash chain, archives and signed checkpoints. */
export interface AuditReport extends HistoryReport {
  /** The id of the key that signs checkpoints. Undefined if there is no key. */
  readonly keyId: string | undefined;
  /** True if no record refers to the existing archives: they belong to another store, or this store was emptied. */
  readonly hasStrayArchives: boolean;
  readonly files: AuditFiles;
}

/**
 * How long to wait for a running gateway to write its first checkpoint. After that the checkpoint counts as missing.
 */
const CHECKPOINT_WAIT_MS = 1000;
const POLL_MS = 50;

/** Verifies all records, archives and checkpoints with the local signing key. Writes nothing. @internal */
export async function verifyAudit(
  audit: AuditRecords,
  files: AuditFiles,
  waitMs = CHECKPOINT_WAIT_MS,
): Promise<AuditReport> {
  const seed = await readLocalKey(files.signingKeyFile);
  const signer = seed && createSigner(seed);
  const outside = await readCheckpointFile(files.checkpointFile);
  const newest = readNewestRecord(files.newestFile);
  const report = await verifyHistory({
    audit,
    archiveFolder: files.archiveFolder,
    outside: outside.kind === "read" ? [outside.checkpoint] : [],
    keyId: signer?.keyId,
    isSigned: (checkpoint) => signer?.isSigned(checkpoint) === true,
    newest,
  }).catch(async (error: unknown) => {
    const unreadable = await findUnreadable(audit);
    if (unreadable === undefined) throw error;
    const { before, finding } = unreadable;
    const nothing = { archives: 0, checkpoints: 0, signedThrough: 0, earlierKey: [], gaps: [] };
    return { ...nothing, records: before.seq, head: before, findings: [finding] };
  });
  const missing = await checkCheckpointFile(report, files, waitMs);
  const findings = [...report.findings, ...missing].sort((one, other) => one.seq - other.seq);
  const isUnsigned = report.signedThrough === 0 && report.archives === 0;
  const hasStrayArchives = isUnsigned && (await readdir(files.archiveFolder).catch(() => [])).length > 0;
  return { ...report, findings, keyId: signer?.keyId, hasStrayArchives, files };
}

/**
 * Reports a missing checkpoint file. The file reveals a truncated log, so an attacker who truncates the log would
 * delete it.
 */
async function checkCheckpointFile(
  report: HistoryReport,
  { checkpointFile }: AuditFiles,
  waitMs: number,
): Promise<ChainFinding[]> {
  const seq = report.signedThrough + 1;
  // A gateway may write its first checkpoint during the verification.
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const { kind } = await readCheckpointFile(checkpointFile);
    if (kind === "unreadable" || kind === "torn")
      return [{ seq, reason: `${checkpointFile} cannot be read, so the end of the log is not verified` }];
    if (kind === "read" || mayBeUnsigned(report)) return [];
    if (waitedMs >= waitMs)
      return [{ seq, reason: `${checkpointFile} is missing, so the end of the log is not verified` }];
    await setTimeout(POLL_MS);
  }
}

/** Whether a log without checkpoints is plausible: a store with few records is new, even if a signing key exists. */
function mayBeUnsigned({ checkpoints, head, archives }: HistoryReport): boolean {
  return checkpoints === 0 && archives === 0 && head.seq <= MAX_UNSIGNED_RECORDS;
}
