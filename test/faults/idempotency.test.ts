import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { ROOT } from "../support/gateway.js";
import { otherActors } from "./rows/idempotency/other-actors.js";
import type { Row } from "./support/row.js";

const SEED = 1;
const LIMIT_MS = 180_000;
const dist = join(ROOT, "dist");

/** A few of each; `npm run faults` runs the full counts. */
describe("keys", () => {
  it.each<[string, Row, number]>([["are their caller's own", otherActors, 2]])(
    "%s",
    async (_, row, count) => {
      const result = await row({ count, seed: SEED, dist, failpoints: dist });
      expect(result.violations).toEqual([]);
      expect(result.injected).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
