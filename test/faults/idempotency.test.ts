import { describe } from "vitest";

import { freshKeys } from "./rows/idempotency/fresh-keys.js";
import { otherActors } from "./rows/idempotency/other-actors.js";
import { holdRows } from "./support/hold-rows.js";

describe("keys", () => {
  holdRows([
    ["are their caller's own", otherActors, 2],
    ["do not hide that a call is made again under a new one", freshKeys, 8],
  ]);
});
