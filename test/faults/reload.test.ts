import { describe } from "vitest";
import { denyInFlow } from "./rows/reload/deny-in-flow.js";
import { exactRestarts } from "./rows/reload/exact-restarts.js";
import { reloadInFlight } from "./rows/reload/reload-in-flight.js";
import { wrongConfigurations } from "./rows/reload/wrong-configurations.js";
import { holdRows } from "./support/hold-rows.js";

describe("a reload", () => {
  holdRows([
    ["fails none of 200 calls in flight, and is atomic for readers", reloadInFlight, 2],
    ["that denies a tool applies to queued calls", denyInFlow, 2],
    ["of an invalid configuration changes nothing", wrongConfigurations, 8],
    ["restarts only changed servers", exactRestarts, 8],
  ]);
});
