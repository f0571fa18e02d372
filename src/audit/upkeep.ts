import { isJsonObject, type JsonObject } from "../model/json.js";
import type { AuditChain, ChainBody } from "./chain.js";

/** Records move out in numbers worth a file, not one by one. */
const SLACK = 1.1;

interface Kept {
  readonly keepRecords: number;
  readonly keepMs: number;
  readonly now: number;
}

/** Whether enough is too old or too much. */
export async function isOverdue(
  chain: Pick<AuditChain, "start" | "head" | "read">,
  { keepRecords, keepMs, now }: Kept,
): Promise<boolean> {
  const [start, head] = [await chain.start(), await chain.head()];
  if (head.seq - start.seq > keepRecords * SLACK) return true;
  const [oldest] = await chain.read({ limit: 1 });
  return oldest !== undefined && Date.parse(String(parseBody(oldest.body)["timestamp"])) < now - keepMs * SLACK;
}

const OF_THE_CALL = [
  "actor_id",
  "surface",
  "tool_id",
  "params_hash",
  "key_id",
  "risk",
  "idempotency_key",
  "approval_id",
] as const;

/** The call was on its way when its gateway ended: it has run or not. */
export function toUnknownOutcome(
  intent: { readonly requestId: string; readonly body: string },
  now: number,
): ChainBody {
  const known = parseBody(intent.body);
  const members = OF_THE_CALL.filter((name) => known[name] !== undefined).map((name) => [name, known[name]] as const);
  return {
    ...Object.fromEntries(members),
    kind: "outcome",
    request_id: intent.requestId,
    timestamp: new Date(now).toISOString(),
    decision: "allowed",
    outcome: "unknown",
  };
}

/** What somebody has changed from outside may be anything. */
function parseBody(text: string): JsonObject {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? body : {};
  } catch {
    return {};
  }
}
