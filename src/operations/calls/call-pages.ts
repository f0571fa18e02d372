// Converts confirmations and idempotency keys to JSON.
import type { Confirmation } from "../../executor/confirmations.js";
import type { JsonObject } from "../../model/json.js";
import type { KeyRecord } from "../../store/key-records.js";

/** A confirmation as JSON. `arguments` is null if the arguments can no longer be decrypted. */
export function toConfirmationPage({ call, ...rest }: Confirmation): JsonObject {
  const { id, state, tool, actor, selfService, askedAt, expiresAt, decidedBy, decidedAt } = rest;
  return {
    id,
    state,
    tool,
    ...(call === undefined ? {} : { risk: call.risk, risk_origin: call.riskOrigin }),
    actor_id: actor,
    arguments: call?.arguments ?? null,
    ...(call?.meta === undefined ? {} : { meta: call.meta }),
    ...(call?.notice === undefined ? {} : { notice: call.notice }),
    caller_may_confirm: selfService,
    asked_at: time(askedAt),
    expires_at: time(expiresAt),
    ...(decidedBy === undefined ? {} : { decided_by: decidedBy }),
    ...(decidedAt === undefined ? {} : { decided_at: time(decidedAt) }),
  };
}

export function toKeyRecordPage({ id, scope, state, answerBytes, ...record }: KeyRecord): JsonObject {
  return {
    id,
    key: scope.key,
    tool: scope.tool,
    actor_id: scope.actor,
    state,
    request_id: record.requestId,
    reserved_at: time(record.reservedAt),
    changed_at: time(record.changedAt),
    expires_at: time(record.expiresAt),
    ...(answerBytes === undefined ? {} : { answer_bytes: answerBytes }),
  };
}

function time(at: number): string {
  return new Date(at).toISOString();
}
