import type { AuditRecords } from "../../src/store/audit-records.js";
import { CHAIN_START, type ChainFinding, followStored, isSame, missingRotation } from "../../src/store/verify-chain.js";

export type StoredVerdict =
  | { readonly kind: "whole"; readonly records: number }
  | ({ readonly kind: "broken" } & ChainFinding);

/** Whether the records in the store form an unbroken hash chain, wherever earlier records are. */
export async function verifyStored(audit: AuditRecords): Promise<StoredVerdict> {
  const { start, head, finding, archives } = await followStored(audit, new Map());
  const isReported = isSame(start, CHAIN_START) || archives.some(({ through }) => isSame(through, start));
  const broken = finding ?? (isReported ? undefined : missingRotation(start));
  return broken === undefined ? { kind: "whole", records: head.seq - start.seq } : { kind: "broken", ...broken };
}
