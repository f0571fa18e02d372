import { describe } from "vitest";

import { apiFuzz } from "./rows/policy/api-fuzz.js";
import { approvalSecrets } from "./rows/policy/approval-secrets.js";
import { bucketKeys } from "./rows/policy/bucket-keys.js";
import { entryPoints } from "./rows/policy/entry-points.js";
import { strictDenials } from "./rows/policy/strict-denials.js";
import { hiddenTools } from "./rows/policy/hidden-tools.js";
import { holdRows } from "./support/hold-rows.js";

describe("the policy", () => {
  holdRows([
    ["runs only explicitly allowed calls under strict, whatever servers claim", strictDenials, 20],
    ["makes the same decision at every entry point", entryPoints, 1],
    ["reveals nothing about hidden tools", hiddenTools, 10],
    ["keeps the secrets of approvals from agents", approvalSecrets, 1],
    ["applies one rate limit to a caller that poses as many", bucketKeys, 30],
    ["starts no program or server named in a request", apiFuzz, 100],
  ]);
});
