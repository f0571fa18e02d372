import type { AuditLog, AuditRecord } from "../audit/audit-log.js";
import type { DiscoveryError } from "../errors.js";
import type { CallRecord } from "./execute.js";

/** What stays of an execution: that it happened, not what was said. */
export async function toAuditRecord(entry: CallRecord, audit: AuditLog): Promise<AuditRecord> {
  const { requestId, actor, outcome, startedAt, durationMs, toolId } = entry;
  const error = outcome.kind === "failed" ? outcome.error : undefined;
  return {
    request_id: requestId,
    timestamp: new Date(startedAt).toISOString(),
    actor_id: actor.id,
    surface: actor.surface,
    tool_id: toolId,
    params_hash: await audit.hashParams(entry.arguments),
    decision: error !== undefined && isRefusal(error) ? "refused" : "allowed",
    outcome: outcome.kind === "failed" ? "error" : outcome.isError ? "tool_error" : "ok",
    ...(error === undefined ? {} : { error_code: error.code }),
    duration_ms: Math.round(durationMs * 1000) / 1000,
  };
}

/** The gateway said no by itself; a server that cannot be reached or fails was called with our leave. */
function isRefusal({ code, entry }: DiscoveryError): boolean {
  return entry.http < 500 && code !== "CANCELLED";
}
