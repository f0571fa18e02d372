import { stat } from "node:fs/promises";
import { readCheckpointFile } from "../../../audit/checkpoint-file.js";
import { MOST_UNSIGNED } from "../../../audit/create-audit-log.js";
import type { AuditFiles } from "../../../audit/files.js";
import { createSigner } from "../../../audit/signer.js";
import type { AuditRecords } from "../../../store/audit-records.js";
import type { ChainFinding } from "../../../store/verify-chain.js";
import { type HistoryReport, verifyHistory } from "../../../store/verify-history.js";
import { readLocalKey } from "../../../util/local-key.js";

export interface AuditReport extends HistoryReport {
  /** Of the key that signs checkpoints; undefined when there is none. */
  readonly keyId: string | undefined;
  readonly files: AuditFiles;
}

/** Checks everything that was ever recorded with the key that lies beside it. Nothing is changed or made. */
export async function verifyAudit(audit: AuditRecords, files: AuditFiles): Promise<AuditReport> {
  const seed = await readLocalKey(files.signingKeyFile);
  const signer = seed && createSigner(seed);
  const outside = await readCheckpointFile(files.checkpointFile);
  const report = await verifyHistory({
    audit,
    archiveFolder: files.archiveFolder,
    outside: outside.kind === "read" ? [outside.checkpoint] : [],
    isSigned: (checkpoint) => signer?.isSigned(checkpoint) === true,
  });
  const missing = await findMissing({ report, files, isSigning: signer !== undefined });
  const findings = [...report.findings, ...missing].sort((one, other) => one.seq - other.seq);
  return { ...report, findings, keyId: signer?.keyId, files };
}

interface Checked {
  readonly report: HistoryReport;
  readonly files: AuditFiles;
  readonly isSigning: boolean;
}

/** The file with the newest checkpoint is what shows a cut end: who cuts it off takes the file away too, if he can. */
async function findMissing({ report, files, isSigning }: Checked): Promise<ChainFinding[]> {
  const { head, signedThrough } = report;
  const seq = signedThrough + 1;
  // The first checkpoint may have been signed while this looked.
  const { kind } = await readCheckpointFile(files.checkpointFile);
  if (kind === "unreadable")
    return [{ seq, reason: `${files.checkpointFile} cannot be read, so nothing vouches for it` }];
  if (kind === "read") return [];
  if (isSigning || signedThrough > 0) {
    return [{ seq, reason: `${files.checkpointFile} is missing, so nothing vouches for it` }];
  }
  if (head.seq > MOST_UNSIGNED) return [{ seq: 1, reason: "no checkpoint vouches for it and the records after it" }];
  return (await exists(files.archiveFolder)) ? [{ seq: 1, reason: "there are archives and no checkpoint" }] : [];
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
