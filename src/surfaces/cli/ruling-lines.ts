import type { JsonObject } from "../../model/json.js";
import type { PolicyOptions } from "../../policy/options.js";
import { isAtLeast } from "../../policy/risk.js";
import type { Ruling } from "../../policy/ruling.js";
import { riskPart } from "./call-lines.js";
import { count, line, type Line } from "../../terminal/lines.js";
import { describeSpan } from "../../util/time-words.js";

export function isToBeConfirmed({ risk }: Ruling, { confirmation }: PolicyOptions): boolean {
  return confirmation.mode !== "never" && isAtLeast(risk.risk, confirmation.from);
}

/** The policy decision about a tool, as JSON. */
export function rulingData({ risk, scopes, bucket, key }: Ruling): JsonObject {
  return {
    risk: risk.risk,
    risk_origin: risk.origin.detail,
    required_scopes: scopes,
    rate_limit_bucket: bucket?.name ?? null,
    idempotent: key.isIdempotent,
    key_sent_as: key.sendAs ?? null,
  };
}

export function rulingLines({ risk, scopes, bucket, key }: Ruling, isAsked: boolean): Line[] {
  return [
    line(0, "Risk: ", riskPart(risk.risk), ` (${risk.origin.detail})${isAsked ? "; calls need a confirmation" : ""}`),
    ...(scopes.length === 0 ? [] : [line(0, `Required scopes: ${scopes.join(", ")}`)]),
    ...(bucket === undefined ? [] : [line(0, `Rate limit: ${describeBucket(bucket)}`)]),
    line(0, `Idempotent: ${key.isIdempotent ? "yes" : "no"}; ${describeKey(key)}`),
  ];
}

function describeBucket({ name, calls, perMs, per }: NonNullable<Ruling["bucket"]>): string {
  const whose = per === "actor" ? "for each actor" : "shared by all actors";
  return `${name} (${count(calls, "call")} in ${describeSpan(perMs)}, ${whose})`;
}

function describeKey({ sendAs }: Ruling["key"]): string {
  if (sendAs === undefined) return "the server does not receive idempotency keys";
  return `the server receives idempotency keys ${sendAs === "_meta" ? "in _meta" : `as the argument ${sendAs}`}`;
}
