import { setImmediate } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import type { AuditQuery, AuditRecord, AuditRecords } from "../../../store/audit-records.js";

/** A record as it is shown: its members beside its place in the chain. */
export interface ShownRecord extends JsonObject {
  readonly seq: number;
  readonly hash: string;
}

/** Which records are wanted: what the store can tell, and what only a look at the record can. */
export interface AuditFilter {
  readonly query: AuditQuery;
  readonly accepts: (record: ShownRecord) => boolean;
  /** Nothing is left out but intents. */
  readonly isBare: boolean;
}

/** What is no JSON object any more, because somebody has changed it, is shown as the text that it is. */
export function toShown({ seq, hash, body }: AuditRecord): ShownRecord {
  try {
    const parsed: unknown = JSON.parse(body);
    if (isJsonObject(parsed)) return { ...parsed, seq, hash };
  } catch {
    // Shown below.
  }
  return { seq, hash, body };
}

/** The newest that pass, the oldest of them first. */
export async function readNewest(
  audit: AuditRecords,
  { query, accepts }: AuditFilter,
  limit: number,
): Promise<ShownRecord[]> {
  const found: ShownRecord[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  while (found.length < limit) {
    const page = await audit.read({ ...query, before, newestFirst: true });
    const last = page.at(-1);
    if (last === undefined) break;
    found.push(...page.map(toShown).filter(accepts));
    await setImmediate();
    before = last.seq;
  }
  return found.slice(0, limit).reverse();
}

/** All that pass after one record and up to another, a page at a time. */
export async function* readBetween(
  audit: AuditRecords,
  { query, accepts }: AuditFilter,
  range: { readonly after: number; readonly through: number },
): AsyncGenerator<ShownRecord[]> {
  let { after } = range;
  for (;;) {
    const page = await audit.read({ ...query, after, before: range.through + 1 });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page.map(toShown).filter(accepts);
    after = last.seq;
  }
}
