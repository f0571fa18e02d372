import { setTimeout } from "node:timers/promises";
import type { AuditRecords } from "../../../store/audit-records.js";
import type { CliIo } from "../io.js";
import { type AuditFilter, readBetween, type ShownRecord } from "./records.js";

const LOOK_AGAIN_MS = 300;

export interface FollowParts {
  readonly audit: AuditRecords;
  readonly filter: AuditFilter;
  /** The last record that was shown. */
  readonly after: number;
  readonly show: (records: readonly ShownRecord[]) => void;
  readonly io: Pick<CliIo, "stdout" | "signal">;
}

/** Shows what is added, until interrupted or nobody reads on. */
export async function followAudit({ audit, filter, after: shown, show, io }: FollowParts): Promise<void> {
  let after = shown;
  while (await pause(io)) {
    const { seq: through } = await audit.head();
    // Somebody has moved the store away, and a new one has begun.
    if (through < after) after = 0;
    for await (const page of readBetween(audit, filter, { after, through })) if (page.length > 0) show(page);
    after = through;
  }
}

/** False when it is over. */
async function pause({ stdout, signal }: FollowParts["io"]): Promise<boolean> {
  if (stdout.destroyed || stdout.errored !== null) return false;
  return await setTimeout(LOOK_AGAIN_MS, true, { signal }).catch(() => false);
}
