import { describe } from "vitest";

import { freshKeys } from "./rows/idempotency/fresh-keys.js";
import { otherActors } from "./rows/idempotency/other-actors.js";
import { holdRows } from "./support/hold-rows.js";

describe("idempotency keys", () => {
  holdRows([
    ["are separate per caller", otherActors, 2],
    ["do not hide a repeated call with a new key", freshKeys, 8],
  ]);
});
