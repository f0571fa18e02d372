import { describe } from "vitest";
import { soak } from "./rows/load/soak.js";
import { crashLoops } from "./rows/processes/crash-loops.js";
import { listStorms } from "./rows/processes/list-storms.js";
import { silentStarts } from "./rows/processes/silent-starts.js";
import { stopSignals } from "./rows/processes/stop-signals.js";
import { holdRows } from "./support/hold-rows.js";

// Each row has its own home folder and gateways and mostly waits for time limits; the longest rows come first.
describe.concurrent("in parallel", () => {
  holdRows([
    ["gateways at half load lose no call and leak nothing while faults are injected", soak, 4],
    ["list change notifications cause few lists, and the last change is never missed", listStorms, 2],
    ["servers that never answer the handshake time out and delay no other server", silentStarts, 5],
    ["a stopped gateway answers every call and leaves no process", stopSignals, 1],
    ["servers that exit repeatedly are not restarted for a while", crashLoops, 2],
  ]);
});
