import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { forgedFiles } from "./rows/integrity/forged-files.js";
import { lookalikes } from "./rows/integrity/lookalikes.js";
import { terminalText } from "./rows/integrity/terminal-text.js";
import type { Row } from "./support/row.js";

const SEED = 1;
const LIMIT_MS = 120_000;
const dist = join(ROOT, "dist");

/** A few of each; `npm run faults` runs the full counts. */
describe("what servers and files say of themselves", () => {
  it.each<[string, Row, number]>([
    ["counts for nothing where nobody vouches for it", forgedFiles, 20],
    ["lets nobody answer for another", lookalikes, 2],
    ["does nothing to a terminal", terminalText, 3],
  ])(
    "%s",
    async (_, row, count) => {
      const result = await row({ count, seed: SEED, dist, failpoints: dist });
      expect(result.violations).toEqual([]);
      expect(result.injected).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
