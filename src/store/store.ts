// What has to outlive a process and be shared by several goes in and comes out again: keys, audit, approvals, pins,
// rates, catalog, failures, credentials, versions of tool files. It refuses to know what any of it means, what time it is, and who asks.
import type { Approvals } from "./approvals.js";
import type { AuditRecords } from "./audit-records.js";
import type { CatalogRecords } from "./catalog-records.js";
import type { Credentials } from "./credentials.js";
import type { FailureRecords } from "./failure-records.js";
import type { KeyRecords } from "./key-records.js";
import type { Pins } from "./pins.js";
import type { RateWindows } from "./rate-windows.js";
import type { ToolFileVersions } from "./tool-file-versions.js";

/**
 * The contract that every store is held to (`test/contract/describe-store.ts`):
 * a promise that resolves means the change is durable, unless its method says otherwise; a method is one step that
 * happens whole or not at all, whatever other processes do; a read sees every change whose promise has resolved.
 * Every failure is a `DiscoveryError` and leaves the store usable as soon as its cause is gone. The clock is an
 * argument, in whole milliseconds.
 */
export interface Store {
  readonly keys: KeyRecords;
  readonly audit: AuditRecords;
  readonly approvals: Approvals;
  readonly pins: Pins;
  readonly rates: RateWindows;
  readonly catalog: CatalogRecords;
  readonly failures: FailureRecords;
  readonly credentials: Credentials;
  readonly toolFiles: ToolFileVersions;
  /** Resolves when a record could be written now; rejects with AUDIT_UNAVAILABLE. Undefined while all goes well. */
  prepare(): Promise<void> | undefined;
  /** Waits for what is under way. The store's keys count as abandoned from then on. */
  close(): Promise<void>;
}

export type StorePart = Exclude<keyof Store, "prepare" | "close">;
