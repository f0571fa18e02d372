import { describe } from "vitest";
import { countOf } from "../support/counts.js";
import { brokenDisk } from "./rows/audit/broken-disk.js";
import { hostileRecords } from "./rows/audit/hostile-records.js";
import { lostRecords } from "./rows/audit/lost-records.js";
import { mixedCalls } from "./rows/audit/mixed-calls.js";
import { paramsHash } from "./rows/audit/params-hash.js";
import { powerLoss } from "./rows/audit/power-loss.js";
import { holdRows } from "./support/hold-rows.js";

describe("the audit log", () => {
  holdRows([
    ["has one outcome for every call, in one hash chain shared by three gateways", mixedCalls, 60],
    ["keeps every acknowledged call after a power failure", powerLoss, 5],
    [
      "blocks calls that it cannot record while the disk is broken, and recovers without a restart",
      brokenDisk,
      countOf(3, 1),
    ],
    ["marks records that are lost after the last checkpoint, and restores a torn checkpoint file", lostRecords, 8],
    ["has one line per record, whatever callers send", hostileRecords, 15],
    ["does not reveal guessable arguments", paramsHash, 20_000],
  ]);
});
