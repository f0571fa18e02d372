import { setTimeout } from "node:timers/promises";
import type { AuditRecords } from "../../store/audit-records.js";
import { type AuditFilter, readBetween, type ShownRecord } from "./records.js";

const LOOK_AGAIN_MS = 300;

/** Where `follow` starts and when it stops. */
export interface FollowAuditOptions {
  /** Records after this number. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** Asked about three times a second; true ends it like the signal. */
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
  while (!isOver() && (await setTimeout(LOOK_AGAIN_MS, true, { signal }).catch(() => false))) {
    const { seq: through } = await audit.head();
    // The store was moved away, and a new one has begun.
    if (through < after) after = 0;
    yield* readBetween(audit, filter, { after, through });
    after = through;
  }
}
