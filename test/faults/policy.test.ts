import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { ROOT } from "../support/gateway.js";
import { apiFuzz } from "./rows/policy/api-fuzz.js";
import { approvalSecrets } from "./rows/policy/approval-secrets.js";
import { bucketKeys } from "./rows/policy/bucket-keys.js";
import { entryPoints } from "./rows/policy/entry-points.js";
import { strictDenials } from "./rows/policy/strict-denials.js";
import { unseenTools } from "./rows/policy/unseen-tools.js";
import type { Row } from "./support/row.js";

const SEED = 1;
const LIMIT_MS = 180_000;
const dist = join(ROOT, "dist");

/** A few of each; `npm run faults` runs the full counts. */
describe("the policy", () => {
  it.each<[string, Row, number]>([
    ["lets nothing run under strict that nobody has allowed, whatever servers say of themselves", strictDenials, 20],
    ["decides alike by every way in", entryPoints, 1],
    ["tells nothing of tools that a caller may not see", unseenTools, 10],
    ["keeps from agents what would answer in a person's place", approvalSecrets, 1],
    ["knows a caller that looks like many", bucketKeys, 30],
    ["starts nothing that a request names", apiFuzz, 100],
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
