import { describe } from "vitest";
import { cancels } from "./rows/protocol/cancels.js";
import { depthBombs } from "./rows/protocol/depth-bombs.js";
import { exactValues } from "./rows/protocol/exact-values.js";
import { fuzzStdio } from "./rows/protocol/fuzz-stdio.js";
import { longLines } from "./rows/protocol/long-lines.js";
import { noRequests } from "./rows/protocol/no-requests.js";
import { holdRows } from "./support/hold-rows.js";

describe("what clients send, under faults", () => {
  holdRows([
    ["every frame that is no message gets the error that it is due", fuzzStdio, 2000],
    ["nothing runs of what no client may send", noRequests, 1],
    ["arguments arrive exactly or not at all", exactValues, 100],
    ["what is nested too deep or holds too much is refused at once", depthBombs, 1],
    ["a line that does not end is skipped", longLines, 1],
    ["a call that is given up is cancelled at its server, and no other", cancels, 40],
  ]);
});
