import { describe } from "vitest";

import { apiFuzz } from "./rows/policy/api-fuzz.js";
import { approvalSecrets } from "./rows/policy/approval-secrets.js";
import { bucketKeys } from "./rows/policy/bucket-keys.js";
import { entryPoints } from "./rows/policy/entry-points.js";
import { strictDenials } from "./rows/policy/strict-denials.js";
import { unseenTools } from "./rows/policy/unseen-tools.js";
import { holdRows } from "./support/hold-rows.js";

describe("the policy", () => {
  holdRows([
    ["lets nothing run under strict that nobody has allowed, whatever servers say of themselves", strictDenials, 20],
    ["decides alike by every way in", entryPoints, 1],
    ["tells nothing of tools that a caller may not see", unseenTools, 10],
    ["keeps from agents what would answer in a person's place", approvalSecrets, 1],
    ["knows a caller that looks like many", bucketKeys, 30],
    ["starts nothing that a request names", apiFuzz, 100],
  ]);
});
