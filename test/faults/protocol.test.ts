import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { cancels } from "./rows/protocol/cancels.js";
import { depthBombs } from "./rows/protocol/depth-bombs.js";
import { exactValues } from "./rows/protocol/exact-values.js";
import { fuzzStdio } from "./rows/protocol/fuzz-stdio.js";
import { longLines } from "./rows/protocol/long-lines.js";
import { noRequests } from "./rows/protocol/no-requests.js";
import type { Row } from "./support/row.js";

const SEED = 1;
const LIMIT_MS = 180_000;
const dist = join(ROOT, "dist");

/** A few of each; `npm run faults` runs the full counts. */
describe("what clients send, under faults", () => {
  it.each<[string, Row, number]>([
    ["every frame that is no message gets the error that it is due", fuzzStdio, 2000],
    ["nothing runs of what no client may send", noRequests, 1],
    ["arguments arrive exactly or not at all", exactValues, 100],
    ["what is nested too deep or holds too much is refused at once", depthBombs, 1],
    ["a line that does not end is skipped", longLines, 1],
    ["a call that is given up is cancelled at its server, and no other", cancels, 40],
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
