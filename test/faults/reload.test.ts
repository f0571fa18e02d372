import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { denyInFlow } from "./rows/reload/deny-in-flow.js";
import { exactRestarts } from "./rows/reload/exact-restarts.js";
import { reloadInFlight } from "./rows/reload/reload-in-flight.js";
import { wrongConfigurations } from "./rows/reload/wrong-configurations.js";
import type { Row } from "./support/row.js";

const SEED = 1;
const LIMIT_MS = 120_000;
const dist = join(ROOT, "dist");

/** A few of each; `npm run faults` runs the full counts. */
describe("a reload", () => {
  it.each<[string, Row, number]>([
    ["fails none of 200 calls in flight, and nobody sees half of it", reloadInFlight, 2],
    ["that denies a tool holds for the calls that wait", denyInFlow, 2],
    ["of what is wrong changes nothing", wrongConfigurations, 8],
    ["starts nothing anew but what has changed", exactRestarts, 8],
  ])(
    "%s",
    async (_, row, count) => {
      const result = await row({ count, seed: SEED, dist, failpoints: "" });
      expect(result.violations).toEqual([]);
      expect(result.injected).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
