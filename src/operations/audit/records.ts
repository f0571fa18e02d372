import { setImmediate } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { AuditQuery, AuditRecord, AuditRecords } from "../../store/audit-records.js";

/** A record of the audit log: its members, its number and its hash. */
export interface ShownRecord extends JsonObject {
  readonly seq: number;
  readonly hash: string;
}

/** Selects records: `query` in the store, then `accepts` on each record. @internal */
export interface AuditFilter {
  readonly query: AuditQuery;
  readonly accepts: (record: ShownRecord) => boolean;
}

/**
 * Parses the body of a record. A body that is not a JSON object was tampered with and is returned as text. @internal
 */
export function toShown({ seq, hash, body }: AuditRecord): ShownRecord {
  try {
    const parsed: unknown = JSON.parse(body);
    if (isJsonObject(parsed)) return { ...parsed, seq, hash };
  } catch {
    // The body is not JSON.
  }
  return { seq, hash, body };
}

/** The newest records that match, oldest first. @internal */
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

/** All matching records in a range of record numbers, one page at a time. @internal */
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
    const accepted = page.map(toShown).filter(accepts);
    if (accepted.length > 0) yield accepted;
    after = last.seq;
  }
}
