import { BAD, count, GOOD, line, type Line, WARNING } from "../../../terminal/lines.js";
import type { AuditReport } from "../../../operations/audit/verify-audit.js";

const MOST_SHOWN = 10;

export function verifyLines(report: AuditReport): Line[] {
  const { findings, head, archives, checkpoints, signedThrough, keyId, files } = report;
  const warnings = warningLines(report);
  if (head.seq === 0 && findings.length === 0) return ["The audit log is empty.", ...warnings];
  const where = archives === 0 ? "" : `, ${count(archives, "archive")} included`;
  if (findings.length > 0) {
    const checked = `Checked: ${count(head.seq, "record")}${where}, ${count(checkpoints, "checkpoint")}. If you have restored or removed the store or the key yourself, delete ${files.checkpointFile}; the next checkpoint creates a new file.`;
    return [
      line(0, BAD, ` The audit log was changed. The first invalid record is ${findings[0]?.seq}.`),
      ...findings.slice(0, MOST_SHOWN).map(({ seq, reason }) => line(2, `Record ${seq}: ${reason}.`)),
      ...(findings.length > MOST_SHOWN ? [line(2, `… and ${findings.length - MOST_SHOWN} more.`)] : []),
      line(2, checked),
      ...warnings,
    ];
  }
  const unsigned = head.seq - signedThrough;
  const newer = `${count(unsigned, "newer record")} ${unsigned === 1 ? "is" : "are"} not signed until the next checkpoint.`;
  const signed = ` Signed up to record ${signedThrough} with the key ${keyId ?? ""} (${count(checkpoints, "checkpoint")}).`;
  return [
    line(0, GOOD, ` ${count(head.seq, "record")}${where}: the hash chain is valid.`),
    signedThrough === 0
      ? line(0, WARNING, " No checkpoint is signed yet, so removed records at the end cannot be detected.")
      : line(0, GOOD, signed),
    ...(signedThrough > 0 && unsigned > 0 ? [line(2, newer)] : []),
    ...warnings,
  ];
}

/** Findings that are rare in an intact audit log and possible in a manipulated one. */
function warningLines({ earlierKey, hasStrayArchives, files }: AuditReport): Line[] {
  const last = earlierKey.at(-1);
  const signedBefore = `${count(earlierKey.length, "checkpoint")} up to record ${last} signed with an earlier key. If you have not replaced ${files.signingKeyFile} yourself, another user has.`;
  const stray = `No record refers to the archives in ${files.archiveFolder}: they belong to another store, or records of this store were deleted.`;
  const warnings = [...(last === undefined ? [] : [signedBefore]), ...(hasStrayArchives ? [stray] : [])];
  return warnings.map((text) => line(0, WARNING, ` ${text}`));
}
