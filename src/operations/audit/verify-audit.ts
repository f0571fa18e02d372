import { readdir } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { readCheckpointFile } from "../../audit/checkpoint-file.js";
import { MAX_UNSIGNED_RECORDS } from "../../audit/create-audit-log.js";
import type { AuditFiles } from "../../audit/files.js";
import { createSigner } from "../../audit/signer.js";
import type { AuditRecords } from "../../store/audit-records.js";
import type { ChainFinding } from "../../store/verify-chain.js";
import { type HistoryReport, verifyHistory } from "../../store/verify-history.js";
import { readLocalKey } from "../../util/local-key.js";

/** The result of the verification of the audit log: its hash chain, archives and signed checkpoints. */
export interface AuditReport extends HistoryReport {
  /** Of the key that signs checkpoints; undefined when there is none. */
  readonly keyId: string | undefined;
  /** There are archives that no record names: they are of another store, or this one was emptied. */
  readonly hasStrayArchives: boolean;
  readonly files: AuditFiles;
}

/** How long a gateway that signs for the first time is waited for before its checkpoint counts as missing. */
const PATIENCE_MS = 1000;
const LOOK_AGAIN_MS = 50;

/** Checks everything that was ever recorded with the key that lies beside it. Nothing is changed or made. @internal */
export async function verifyAudit(
  audit: AuditRecords,
  files: AuditFiles,
  patienceMs = PATIENCE_MS,
): Promise<AuditReport> {
  const seed = await readLocalKey(files.signingKeyFile);
  const signer = seed && createSigner(seed);
  const outside = await readCheckpointFile(files.checkpointFile);
  const report = await verifyHistory({
    audit,
    archiveFolder: files.archiveFolder,
    outside: outside.kind === "read" ? [outside.checkpoint] : [],
    keyId: signer?.keyId,
    isSigned: (checkpoint) => signer?.isSigned(checkpoint) === true,
  });
  const missing = await findMissing(report, files, patienceMs);
  const findings = [...report.findings, ...missing].sort((one, other) => one.seq - other.seq);
  const isUnsigned = report.signedThrough === 0 && report.archives === 0;
  const hasStrayArchives = isUnsigned && (await readdir(files.archiveFolder).catch(() => [])).length > 0;
  return { ...report, findings, keyId: signer?.keyId, hasStrayArchives, files };
}

/** The file with the newest checkpoint is what shows a cut end: an attacker who cuts it off removes the file too, if possible. */
async function findMissing(
  report: HistoryReport,
  { checkpointFile }: AuditFiles,
  patienceMs: number,
): Promise<ChainFinding[]> {
  const seq = report.signedThrough + 1;
  // The first checkpoint may have been signed while this looked, or be about to.
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const { kind } = await readCheckpointFile(checkpointFile);
    if (kind === "unreadable") return [{ seq, reason: `${checkpointFile} cannot be read, so nothing vouches for it` }];
    if (kind === "read" || mayBeUnsigned(report)) return [];
    if (waitedMs >= patienceMs) return [{ seq, reason: `${checkpointFile} is missing, so nothing vouches for it` }];
    await setTimeout(LOOK_AGAIN_MS);
  }
}

/** Few records without any checkpoint are a store that has just begun, also beside another one with the same key. */
function mayBeUnsigned({ checkpoints, head, archives }: HistoryReport): boolean {
  return checkpoints === 0 && archives === 0 && head.seq <= MAX_UNSIGNED_RECORDS;
}
