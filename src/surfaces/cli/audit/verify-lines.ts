import { BAD, count, GOOD, line, type Line, WARNING } from "../lines.js";
import type { AuditReport } from "./verify-audit.js";

const MOST_SHOWN = 10;

export function verifyLines(report: AuditReport): Line[] {
  const { findings, head, archives, checkpoints, signedThrough, keyId, files } = report;
  if (head.seq === 0 && findings.length === 0) return [line(0, "Nothing is on record yet.")];
  const where = archives === 0 ? "" : `, ${count(archives, "archive")} included`;
  if (findings.length > 0) {
    return [
      line(0, BAD, ` The record is not as it was written; the first bad record is ${findings[0]?.seq}.`),
      ...findings.slice(0, MOST_SHOWN).map(({ seq, reason }) => line(2, `Record ${seq}: ${reason}.`)),
      ...(findings.length > MOST_SHOWN ? [line(2, `… and ${findings.length - MOST_SHOWN} more.`)] : []),
      line(
        2,
        `Checked: ${count(head.seq, "record")}${where}, ${count(checkpoints, "checkpoint")}. If you have restored or removed the store or the key yourself, move ${files.checkpointFile} away; the next checkpoint starts anew.`,
      ),
    ];
  }
  const unsigned = head.seq - signedThrough;
  return [
    line(0, GOOD, ` ${count(head.seq, "record")}${where}: each follows from the one before it.`),
    signedThrough === 0
      ? line(0, WARNING, " No checkpoint was signed yet: an end that was cut off would not be seen.")
      : line(
          0,
          GOOD,
          ` Signed up to record ${signedThrough} with the key ${keyId ?? ""} (${count(checkpoints, "checkpoint")}).`,
        ),
    ...(signedThrough > 0 && unsigned > 0
      ? [line(2, `The ${count(unsigned, "record")} after it wait for the next checkpoint.`)]
      : []),
  ];
}

export function toVerifyObject(report: AuditReport) {
  const { findings, records, head, archives, checkpoints, signedThrough, keyId } = report;
  return {
    whole: findings.length === 0,
    records,
    head,
    archives,
    checkpoints,
    signed_through: signedThrough,
    key_id: keyId ?? null,
    findings,
  };
}
