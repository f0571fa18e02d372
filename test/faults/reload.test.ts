import { describe } from "vitest";
import { denyInFlight } from "./rows/reload/deny-in-flight.js";
import { exactRestarts } from "./rows/reload/exact-restarts.js";
import { reloadInFlight } from "./rows/reload/reload-in-flight.js";
import { invalidConfigurations } from "./rows/reload/invalid-configurations.js";
import { holdRows } from "./support/hold-rows.js";

describe("a reload", () => {
  holdRows([
    ["fails none of 200 calls in flight, and is atomic for readers", reloadInFlight, 2],
    ["that denies a tool applies to queued calls", denyInFlight, 2],
    ["of an invalid configuration changes nothing", invalidConfigurations, 8],
    ["restarts only changed servers", exactRestarts, 8],
  ]);
});
