import type { AuditReport } from "./verify-audit.js";

/** The verification report as JSON. */
export function toVerifyPage(report: AuditReport) {
  const { findings, records, head, archives, checkpoints, signedThrough, keyId, earlierKey, hasStrayArchives } = report;
  const gaps = report.gaps.map(({ recordedBy, first, through, timestamp }) => ({
    recorded_by: recordedBy,
    first,
    through,
    timestamp,
  }));
  return {
    whole: findings.length === 0,
    records,
    head,
    archives,
    checkpoints,
    signed_through: signedThrough,
    key_id: keyId ?? null,
    earlier_key: earlierKey,
    gaps,
    stray_archives: hasStrayArchives,
    findings,
  };
}
