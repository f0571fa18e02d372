import { setTimeout } from "node:timers/promises";
import type { AuditRecords } from "../../store/audit-records.js";
import { type AuditFilter, readBetween, type ShownRecord } from "./records.js";

const POLL_MS = 300;

/** Where `follow` starts and when it stops. */
export interface FollowAuditOptions {
  /** The number of a record. Only later records are returned. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** Called about three times per second. Returns true to stop. */
  readonly isOver?: () => boolean;
}

/** Yields records as they are added. @internal */
export async function* followAudit(
  audit: AuditRecords,
  filter: AuditFilter,
  options: FollowAuditOptions,
): AsyncGenerator<readonly ShownRecord[]> {
  const { signal, isOver = () => false } = options;
  let { after } = options;
  while (!isOver() && (await setTimeout(POLL_MS, true, { signal }).catch(() => false))) {
    const { seq: through } = await audit.head();
    // The newest record has a lower number than before: the store was replaced by a new one.
    if (through < after) after = 0;
    yield* readBetween(audit, filter, { after, through });
    after = through;
  }
}
