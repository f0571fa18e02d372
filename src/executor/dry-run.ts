import type { CallResult } from "../model/call.js";
import type { Permit } from "./permit.js";

/**
 * The result of a dry run: what the call would do. Nothing was sent, and the call does not count against rate limits.
 */
export function toDryRun({ tool, ruling, replay, wouldAsk, approved, keyed }: Permit): CallResult {
  const { risk, origin } = ruling.risk;
  const plan = {
    dry_run: true,
    would: replay !== undefined ? "replay" : wouldAsk === true ? "ask_for_confirmation" : "execute",
    tool: tool.id,
    risk,
    risk_origin: origin.detail,
    ...(approved === undefined ? {} : { approval_id: approved.id }),
    ...(keyed === undefined ? {} : { idempotency_key: replay === undefined ? "new" : "known" }),
    ...(ruling.bucket === undefined ? {} : { rate_limit_bucket: ruling.bucket.name }),
  };
  return { content: [{ type: "text", text: JSON.stringify(plan) }], structuredContent: plan };
}
