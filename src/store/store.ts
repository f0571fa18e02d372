// The store keeps data that outlives a process and is shared by several: idempotency keys, audit records, approvals,
// pins, rate windows, the catalog, failures of servers, credentials, results of tool calls and versions of tool files.
// It does not interpret the data, read the clock or check permissions.
import type { Approvals } from "./approvals.js";
import type { AuditRecords } from "./audit-records.js";
import type { CatalogRecords } from "./catalog-records.js";
import type { CredentialRecords } from "./credentials.js";
import type { FailureRecords } from "./failure-records.js";
import type { KeyRecords } from "./key-records.js";
import type { Pins } from "./pins.js";
import type { RateWindows } from "./rate-windows.js";
import type { ResultRecords } from "./result-records.js";
import type { ToolFileVersions } from "./tool-file-versions.js";

/**
 * The contract that every store must meet (tested by `test/contract/describe-store.ts`). A resolved promise means that
 * the change is durable, unless the method says otherwise. A method is one transaction, whatever other processes do. A
 * read sees every change whose promise has resolved. Every failure is a `DiscoveryError`, and the store works again as
 * soon as the cause is removed. The current time is an argument, in whole milliseconds.
 */
export interface Store {
  readonly keys: KeyRecords;
  readonly audit: AuditRecords;
  readonly approvals: Approvals;
  readonly pins: Pins;
  readonly rates: RateWindows;
  readonly catalog: CatalogRecords;
  readonly failures: FailureRecords;
  readonly credentials: CredentialRecords;
  readonly results: ResultRecords;
  readonly toolFiles: ToolFileVersions;
  /**
   * Resolves if a record could be written now; otherwise rejects with AUDIT_UNAVAILABLE. Returns undefined, without a
   * check, if the last write succeeded.
   */
  prepare(): Promise<void> | undefined;
  /** Waits for requests in progress. Afterwards the idempotency keys that this process holds count as abandoned. */
  close(): Promise<void>;
}

export type StorePart = Exclude<keyof Store, "prepare" | "close">;
