import type { Ruling } from "../../policy/ruling.js";
import { riskPart } from "./call-lines.js";
import { count, line, type Line } from "../../terminal/lines.js";
import { describeSpan } from "../../util/time-words.js";

export function rulingLines({ risk, scopes, bucket, key }: Ruling, isAsked: boolean): Line[] {
  return [
    line(0, "Risk: ", riskPart(risk.risk), ` (${risk.origin.detail})${isAsked ? "; calls need a confirmation" : ""}`),
    ...(scopes.length === 0 ? [] : [`Required scopes: ${scopes.join(", ")}`]),
    ...(bucket === undefined ? [] : [`Rate limit: ${describeBucket(bucket)}`]),
    `Idempotent: ${key.isIdempotent ? "yes" : "no"}; ${describeKey(key)}`,
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
