import type { AuditFilter, ShownRecord } from "./records.js";

/** Whether a record of an archive matches the query. The store applies the same query to its own records. */
export function matchesQuery(record: ShownRecord, { query, accepts }: AuditFilter): boolean {
  const { since, until, kind, requestId, tool, actor, outcome } = query;
  const time = String(record["timestamp"]);
  const hasValue = (wanted: string | undefined, member: string): boolean =>
    wanted === undefined || record[member] === wanted;
  return (
    (since === undefined || time >= since) &&
    (until === undefined || time < until) &&
    hasValue(kind, "kind") &&
    hasValue(requestId, "request_id") &&
    hasValue(tool, "tool_id") &&
    hasValue(actor, "actor_id") &&
    hasValue(outcome, "outcome") &&
    accepts(record)
  );
}
