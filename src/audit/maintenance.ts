import { isJsonObject, type JsonObject } from "../model/json.js";
import type { AuditChain, ChainBody } from "./chain.js";

/** Rotation starts only when a limit is exceeded by 10 %, so that each archive file contains many records. */
const SLACK = 1.1;

interface Limits {
  readonly keepRecords: number;
  readonly keepMs: number;
  readonly now: number;
}

/** Whether the audit chain exceeds a rotation limit by more than 10 %. */
export async function isOverdue(
  chain: Pick<AuditChain, "start" | "head" | "read">,
  { keepRecords, keepMs, now }: Limits,
): Promise<boolean> {
  const [start, head] = [await chain.start(), await chain.head()];
  if (head.seq - start.seq > keepRecords * SLACK) return true;
  const [oldest] = await chain.read({ limit: 1 });
  return oldest !== undefined && Date.parse(String(parseBody(oldest.body)["timestamp"])) < now - keepMs * SLACK;
}

const CALL_MEMBERS = [
  "actor_id",
  "surface",
  "client_name",
  "client_version",
  "trace_id",
  "span_id",
  "tool_id",
  "params_hash",
  "key_id",
  "risk",
  "idempotency_key",
  "approval_id",
] as const;

/**
 * Creates the outcome of a call that was in progress when its gateway process ended: the tool may or may not have run.
 */
export function toUnknownOutcome(
  intent: { readonly requestId: string; readonly body: string },
  now: number,
): ChainBody {
  const known = parseBody(intent.body);
  const members = CALL_MEMBERS.filter((name) => known[name] !== undefined).map((name) => [name, known[name]] as const);
  return {
    ...Object.fromEntries(members),
    kind: "outcome",
    request_id: intent.requestId,
    timestamp: new Date(now).toISOString(),
    decision: "allowed",
    outcome: "unknown",
  };
}

/** Returns an empty object if the stored text is not a JSON object: another program may have changed it. */
function parseBody(text: string): JsonObject {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? body : {};
  } catch {
    return {};
  }
}
