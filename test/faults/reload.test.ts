import { describe } from "vitest";
import { denyInFlow } from "./rows/reload/deny-in-flow.js";
import { exactRestarts } from "./rows/reload/exact-restarts.js";
import { reloadInFlight } from "./rows/reload/reload-in-flight.js";
import { wrongConfigurations } from "./rows/reload/wrong-configurations.js";
import { holdRows } from "./support/hold-rows.js";

describe("a reload", () => {
  holdRows([
    ["fails none of 200 calls in flight, and nobody sees half of it", reloadInFlight, 2],
    ["that denies a tool holds for the calls that wait", denyInFlow, 2],
    ["of what is wrong changes nothing", wrongConfigurations, 8],
    ["starts nothing anew but what has changed", exactRestarts, 8],
  ]);
});
