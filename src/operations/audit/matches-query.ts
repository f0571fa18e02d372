import type { AuditFilter, ShownRecord } from "./records.js";

/** What the store does for its own records, done for those of an archive. */
export function matchesQuery(record: ShownRecord, { query, accepts }: AuditFilter): boolean {
  const { since, until, kind, requestId, tool, actor, outcome } = query;
  const time = String(record["timestamp"]);
  const isIn = (wanted: string | undefined, member: string): boolean =>
    wanted === undefined || record[member] === wanted;
  return (
    (since === undefined || time >= since) &&
    (until === undefined || time < until) &&
    isIn(kind, "kind") &&
    isIn(requestId, "request_id") &&
    isIn(tool, "tool_id") &&
    isIn(actor, "actor_id") &&
    isIn(outcome, "outcome") &&
    accepts(record)
  );
}
