import { describe } from "vitest";
import { countOf } from "../support/counts.js";
import { brokenDisk } from "./rows/audit/broken-disk.js";
import { hostileRecords } from "./rows/audit/hostile-records.js";
import { mixedCalls } from "./rows/audit/mixed-calls.js";
import { paramsHash } from "./rows/audit/params-hash.js";
import { powerLoss } from "./rows/audit/power-loss.js";
import { holdRows } from "./support/hold-rows.js";

describe("the record", () => {
  holdRows([
    ["has one outcome of every call, in one chain of three gateways", mixedCalls, 60],
    ["has everything that anybody was told when the power fails", powerLoss, 5],
    ["stops what it cannot hold while the disk is broken, and goes on by itself", brokenDisk, countOf(3, 1)],
    ["is one line a call, whatever callers write", hostileRecords, 15],
    ["gives no arguments away to who guesses them", paramsHash, 20_000],
  ]);
});
