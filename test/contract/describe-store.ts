import { describe } from "vitest";
import type { StoreParts } from "../../src/store/create-store.js";
import type { Store } from "../../src/store/store.js";
import { describeApprovals } from "./store/approvals.js";
import { describeAuditRecords } from "./store/audit-records.js";
import { describeCatalogRecords } from "./store/catalog-records.js";
import { describeCredentials } from "./store/credentials.js";
import { describeFailureRecords } from "./store/failure-records.js";
import { describeKeyRecords } from "./store/key-records.js";
import { describePins } from "./store/pins.js";
import { describeProcesses } from "./store/processes.js";
import { describeRateWindows } from "./store/rate-windows.js";
import { describeResultRecords } from "./store/result-records.js";
import { describeToolFileVersions } from "./store/tool-file-versions.js";

/** A separate store for one test, which can be opened any number of times. */
export interface StorePlace {
  readonly parts: StoreParts;
  open(): Store;
}

/**
 * The contract of every store. `createPlace` makes an empty one; stores that it opens are closed after the test. Tests
 * with several processes run unless another store of the same kind covers them.
 */
export function describeStore(
  name: string,
  createPlace: () => Promise<StorePlace>,
  { withProcesses = true }: { withProcesses?: boolean } = {},
): void {
  describe.each([name])("%s", () => {
    describeKeyRecords(createPlace);
    describeAuditRecords(createPlace);
    describeApprovals(createPlace);
    describePins(createPlace);
    describeRateWindows(createPlace);
    describeCatalogRecords(createPlace);
    describeFailureRecords(createPlace);
    describeCredentials(createPlace);
    describeResultRecords(async () => (await createPlace()).open().results);
    describeToolFileVersions(createPlace);
    if (withProcesses) describeProcesses(createPlace);
  });
}
