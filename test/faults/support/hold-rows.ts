import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../support/gateway.js";
import type { Row } from "./row.js";

const SEED = 1;
const LIMIT_MS = 180_000;
const dist = join(ROOT, "dist");

/** What a row is to show, and how often it does what it does. */
export type HeldRow = readonly [string, Row, number];

/** A few of each, as tests; `npm run faults` runs the full counts. `failpoints`: where the build with them is, if a row needs it. */
export function holdRows(rows: readonly HeldRow[], failpoints = dist): void {
  it.each(rows)(
    "%s",
    async (_, row, count) => {
      const result = await row({ count, seed: SEED, dist, failpoints });
      expect(result.violations).toEqual([]);
      expect(result.n).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
}
