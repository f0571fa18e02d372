import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { largeBodies } from "./rows/exposure/large-bodies.js";
import { smuggling } from "./rows/exposure/smuggling.js";
import { tokenGuesses } from "./rows/exposure/token-guesses.js";
import type { Row } from "./support/row.js";

const SEED = 1;
const LIMIT_MS = 180_000;
const dist = join(ROOT, "dist");

/** A few of each; `npm run faults` runs the full counts. */
describe("the HTTP surface, under faults", () => {
  it.each<[string, Row, number]>([
    ["bodies that are too large or lie are refused before they are read", largeBodies, 10],
    ["nothing runs that is hidden in a request", smuggling, 150],
    ["guesses of a token are few, and take the same time", tokenGuesses, 200],
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
