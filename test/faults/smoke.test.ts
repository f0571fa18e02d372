// The quick part of the fault rows, for `npm test`: a few cases of one row of each kind of fault.
import { describe } from "vitest";
import { sameKey } from "./rows/idempotency/same-key.js";
import { inboundHeaders } from "./rows/remote/inbound-headers.js";
import { oneBadTool } from "./rows/schemas/one-bad-tool.js";
import { holdRows } from "./support/hold-rows.js";

describe("the gateway under faults", () => {
  holdRows([
    ["runs a call with one key once", sameKey, 2],
    ["passes no header of a caller on to a remote server", inboundHeaders, 3],
    ["keeps the other tools of a server with one broken tool", oneBadTool, 1],
  ]);
});
