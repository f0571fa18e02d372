import type { AuditMark, AuditRecords } from "../../store/audit-records.js";
import type { ChainFinding } from "../../store/verify-chain.js";

export interface Unreadable {
  /** The last record that can be read before it. */
  readonly before: AuditMark;
  readonly finding: ChainFinding;
}

const PAGE = 256;

/** Finds the first record that the database cannot return, because its part of the file was overwritten. */
export async function findUnreadable(audit: AuditRecords): Promise<Unreadable | undefined> {
  let before: AuditMark;
  try {
    before = await audit.start();
  } catch {
    return undefined;
  }
  let limit = PAGE;
  for (;;) {
    try {
      const page = await audit.read({ after: before.seq, limit });
      const last = page.at(-1);
      if (last === undefined || last.seq <= before.seq) return undefined;
      before = { seq: last.seq, hash: last.hash };
    } catch {
      if (limit === 1) {
        const reason = "the record cannot be read, because its part of the file was overwritten or is damaged";
        return { before, finding: { seq: before.seq + 1, reason } };
      }
      limit = 1;
    }
  }
}
