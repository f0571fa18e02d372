import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../support/gateway.js";
import type { Row } from "./row.js";

const SEED = 1;
const dist = join(ROOT, "dist");

/** The behaviour that a row proves, the row, and its count. */
export type HeldRow = readonly [string, Row, number];

/** Runs rows with small counts as tests; `npm run faults` uses the full counts. `failpoints`: the folder of the build with failpoints, if a row needs it. */
export function holdRows(rows: readonly HeldRow[], failpoints = dist): void {
  it.each(rows)("%s", async (_, row, count) => {
    const result = await row({ count, seed: SEED, dist, failpoints });
    expect(result.violations).toEqual([]);
    expect(result.n).toBeGreaterThan(0);
  });
}
