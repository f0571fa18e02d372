import { describe } from "vitest";

import { otherActors } from "./rows/idempotency/other-actors.js";
import { holdRows } from "./support/hold-rows.js";

describe("keys", () => {
  holdRows([["are their caller's own", otherActors, 2]]);
});
