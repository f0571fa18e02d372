import { BAD, count, GOOD, line, type Line, WARNING } from "../lines.js";
import type { AuditReport } from "./verify-audit.js";

const MOST_SHOWN = 10;

export function verifyLines(report: AuditReport): Line[] {
  const { findings, head, archives, checkpoints, signedThrough, keyId, files } = report;
  const warnings = warningLines(report);
  if (head.seq === 0 && findings.length === 0) return [line(0, "Nothing is on record yet."), ...warnings];
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
      ...warnings,
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
    ...warnings,
  ];
}

/** What an honest store has seldom, and a tampered one may have. */
function warningLines({ earlierKey, hasStrayArchives, files }: AuditReport): Line[] {
  const last = earlierKey.at(-1);
  return [
    ...(last === undefined
      ? []
      : [
          line(
            0,
            WARNING,
            ` ${count(earlierKey.length, "checkpoint")} up to record ${last} signed with an earlier key: if you have not replaced ${files.signingKeyFile}, somebody else has.`,
          ),
        ]),
    ...(hasStrayArchives
      ? [
          line(
            0,
            WARNING,
            ` No record tells of the archives in ${files.archiveFolder}: they belong to another store, or this one was emptied.`,
          ),
        ]
      : []),
  ];
}

export function toVerifyObject(report: AuditReport) {
  const { findings, records, head, archives, checkpoints, signedThrough, keyId, earlierKey, hasStrayArchives } = report;
  return {
    whole: findings.length === 0,
    records,
    head,
    archives,
    checkpoints,
    signed_through: signedThrough,
    key_id: keyId ?? null,
    earlier_key: earlierKey,
    stray_archives: hasStrayArchives,
    findings,
  };
}
