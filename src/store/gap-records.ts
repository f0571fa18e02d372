// A gap record says that the newest records of the chain were lost before it was written. The records after it continue
// the chain where it ended.
import { isJsonObject } from "../model/json.js";
import type { AuditBody, AuditMark, AuditRecord } from "./audit-records.js";

/** A loss of the newest records of the audit log, which a later gateway noticed and recorded. */
export interface Gap {
  /** Sequence number of the gap record. */
  readonly recordedBy: number;
  /** Sequence number of the first lost record. */
  readonly first: number;
  /** Sequence number of the last record that is known to be lost. */
  readonly through: number;
  /** When the gap was noticed; ISO 8601. */
  readonly timestamp: string;
}

/** `lost`: the newest record that is known to have existed. `head`: where the chain ends now. */
export function toGapBody(lost: AuditMark, head: AuditMark, timestamp: string): AuditBody {
  return {
    kind: "gap",
    request_id: gapId(lost),
    timestamp,
    first_seq: Math.min(head.seq + 1, lost.seq),
    through_seq: lost.seq,
    through_hash: lost.hash,
  };
}

/** The request id of the gap record for a lost record: the same loss is recorded once. */
export function gapId({ seq, hash }: AuditMark): string {
  return `gap-${seq}-${hash.slice(0, 16)}`;
}

/** Returns undefined if the record is not a gap record. */
export function toGap({ seq: recordedBy, body }: AuditRecord): Gap | undefined {
  if (!body.includes('"kind":"gap"')) return undefined;
  try {
    const record: unknown = JSON.parse(body);
    if (!isJsonObject(record) || record["kind"] !== "gap") return undefined;
    const { first_seq: first, through_seq: through, timestamp } = record;
    return { recordedBy, first: Number(first), through: Number(through), timestamp: String(timestamp) };
  } catch {
    return undefined;
  }
}
