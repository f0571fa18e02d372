import type { CallResult } from "../../model/call.js";
import { isJsonObject } from "../../model/json.js";
import { riskPart } from "./call-lines.js";
import { BLANK, bold, dim, line, type Line } from "./lines.js";
import { resultLines } from "./result-lines.js";

const WOULD: Readonly<Record<string, string>> = {
  execute: "run",
  replay: "not run: the key is known, and its first call's answer would be given again",
  ask_for_confirmation: "wait until it is confirmed",
};

/** What a dry run found out, for people. */
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
    line(0, "It would ", bold(WOULD[String(would)] ?? String(would)), "."),
    BLANK,
    line(0, "Risk: ", riskPart(String(risk)), ` (${String(origin)})`),
    ...(typeof approval === "string" ? [line(0, `Approval: ${approval} lets it run`)] : []),
    ...(typeof key === "string" ? [line(0, `Idempotency key: ${key}`)] : []),
    ...(typeof bucket === "string" && would !== "replay" ? [line(0, `Rate limit: takes one call from ${bucket}`)] : []),
    line(0, dim("Nothing was sent, and nothing is used up.")),
  ];
}
