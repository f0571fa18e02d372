import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { evilRules } from "./rows/rules/evil-rules.js";
import { manyRules } from "./rows/rules/many-rules.js";
import type { Row } from "./support/row.js";

const SEED = 1;
const LIMIT_MS = 120_000;
const dist = join(ROOT, "dist");

/** A few of each; `npm run faults` runs the full counts. */
describe("with rules that are evil", () => {
  it.each<[string, Row, number]>([
    ["evil regexes hold nothing up", evilRules, 100],
    ["very many rules decide in time", manyRules, 100],
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
