import type { CallResult } from "../../model/call.js";
import { isJsonObject } from "../../model/json.js";
import { riskPart } from "./call-lines.js";
import { BLANK, bold, dim, line, type Line } from "../../terminal/lines.js";
import { resultLines } from "./result-lines.js";

const WOULD: Readonly<Record<string, string>> = {
  execute: "run",
  replay: "return the stored result of the first call with this key, without running the tool again",
  ask_for_confirmation: "wait for a confirmation before it runs",
};

/** The result of `--dry-run` as text. */
export function dryRunLines(answer: CallResult): Line[] {
  const { structuredContent: plan } = answer;
  if (!isJsonObject(plan)) return resultLines(answer, 0);
  const {
    would,
    risk,
    risk_origin: origin,
    approval_id: approval,
    idempotency_key: key,
    rate_limit_bucket: bucket,
  } = plan;
  return [
    line(0, "The call would ", bold(WOULD[String(would)] ?? String(would)), "."),
    BLANK,
    line(0, "Risk: ", riskPart(String(risk)), ` (${String(origin)})`),
    ...(typeof approval === "string" ? [`Approval: ${approval} allows this call`] : []),
    ...(typeof key === "string" ? [`Idempotency key: ${key}`] : []),
    ...(typeof bucket === "string" && would !== "replay" ? [`Rate limit: counts as one call in ${bucket}`] : []),
    line(0, dim("Nothing was sent: approvals, keys and rate limits are unchanged.")),
  ];
}
