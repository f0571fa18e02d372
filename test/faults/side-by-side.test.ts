import { describe } from "vitest";
import { soak } from "./rows/load/soak.js";
import { crashLoops } from "./rows/processes/crash-loops.js";
import { listStorms } from "./rows/processes/list-storms.js";
import { silentStarts } from "./rows/processes/silent-starts.js";
import { stopSignals } from "./rows/processes/stop-signals.js";
import { holdRows } from "./support/hold-rows.js";

// Each has a home and gateways of its own, and waits for limits rather than for the processor; the longest come first.
describe.concurrent("side by side", () => {
  holdRows([
    ["gateways at half load lose nothing and hold nothing while one thing after the other goes wrong", soak, 4],
    ["announcements of changed tools cost few lists, and the last change is never lost", listStorms, 2],
    ["servers that never answer the handshake are given up, and nobody waits for them", silentStarts, 5],
    ["a gateway that is told to stop answers every call, and leaves nothing running", stopSignals, 1],
    ["servers that end all the time are left alone", crashLoops, 2],
  ]);
});
