import type { AuditBody, AuditMark, AuditRecords } from "../audit-records.js";
import { gapId, toGapBody } from "../gap-records.js";
import type { NewestRecord } from "../newest-record.js";
import type { Reply, Request, StoreTable } from "./operations.js";

/** Keeps the file with the newest record up to date, and records in the chain if newest records were lost. */
export interface LostRecords {
  /**
   * Must be called in the transaction of the requests, before them. With the first records of this connection, appends
   * a gap record if the record that the file names is not in the chain.
   */
  mark(requests: readonly Request[], audit: () => StoreTable<AuditRecords>): void;
  /** Must be called after the transaction was committed. */
  committed(requests: readonly Request[], replies: readonly Reply[]): void;
}

const APPENDING: ReadonlySet<string> = new Set(["append", "appendSoon", "appendMissing", "closeOrphans"]);

export function createLostRecords(newest: NewestRecord): LostRecords {
  let isChecked = false;
  return {
    mark(requests, audit) {
      const body = isChecked ? undefined : requests.map(firstBody).find((one) => one !== undefined);
      if (body === undefined) return;
      const known = newest.read();
      if (known === undefined || isAccountedFor(known, audit())) return;
      audit().append([toGapBody(known, audit().head(), body.timestamp)]);
    },
    committed(requests, replies) {
      let last: AuditMark | undefined;
      for (const [index, request] of requests.entries()) {
        const reply = replies[index];
        if (!isAppending(request) || reply?.kind !== "done") continue;
        last = (reply.value as readonly AuditMark[]).at(-1) ?? last;
      }
      if (last === undefined) return;
      isChecked = true;
      newest.write(last);
    },
  };
}

function isAppending({ part, method }: Request): boolean {
  return part === "audit" && APPENDING.has(method);
}

function firstBody(request: Request): AuditBody | undefined {
  const bodies = isAppending(request) ? request.args[0] : undefined;
  return Array.isArray(bodies) ? (bodies as readonly AuditBody[])[0] : undefined;
}

/** Whether the record is in the chain, or a gap record for it. */
function isAccountedFor(mark: AuditMark, audit: StoreTable<AuditRecords>): boolean {
  const { seq, hash } = mark;
  const [found] = audit.read({ after: seq - 1, limit: 1 });
  if (found?.seq === seq && found.hash === hash) return true;
  // A record before the start of the stored chain is in an archive, which only the verification reads.
  if (audit.start().seq >= seq) return true;
  return audit.read({ requestId: gapId(mark), kind: "gap", limit: 1 }).length > 0;
}
