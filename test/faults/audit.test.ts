import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { countOf } from "../support/counts.js";
import { ROOT } from "../support/gateway.js";
import { brokenDisk } from "./rows/audit/broken-disk.js";
import { hostileRecords } from "./rows/audit/hostile-records.js";
import { paramsHash } from "./rows/audit/params-hash.js";
import { powerLoss } from "./rows/audit/power-loss.js";
import type { Row } from "./support/row.js";

const SEED = 1;
const LIMIT_MS = 180_000;
const dist = join(ROOT, "dist");

/** A few of each; `npm run faults` runs the full counts. */
describe("the record", () => {
  it.each<[string, Row, number]>([
    ["has everything that anybody was told when the power fails", powerLoss, 5],
    ["stops what it cannot hold while the disk is broken, and goes on by itself", brokenDisk, countOf(3, 1)],
    ["is one line a call, whatever callers write", hostileRecords, 15],
    ["gives no arguments away to who guesses them", paramsHash, 20_000],
  ])(
    "%s",
    async (_, row, count) => {
      const result = await row({ count, seed: SEED, dist, failpoints: dist });
      expect(result.violations).toEqual([]);
      expect(result.injected).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
