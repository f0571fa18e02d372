import { describe } from "vitest";
import { cancels } from "./rows/protocol/cancels.js";
import { depthBombs } from "./rows/protocol/depth-bombs.js";
import { exactValues } from "./rows/protocol/exact-values.js";
import { fuzzStdio } from "./rows/protocol/fuzz-stdio.js";
import { longLines } from "./rows/protocol/long-lines.js";
import { invalidClientMessages } from "./rows/protocol/invalid-client-messages.js";
import { holdRows } from "./support/hold-rows.js";

describe("malformed input of clients", () => {
  holdRows([
    ["every malformed frame gets the right error", fuzzStdio, 2000],
    ["messages that no client may send run nothing", invalidClientMessages, 1],
    ["arguments arrive unchanged or are rejected", exactValues, 100],
    ["messages that are nested too deeply or have too many values are rejected at once", depthBombs, 1],
    ["an endless line is skipped", longLines, 1],
    ["a cancelled call is cancelled at its server, and no other call is", cancels, 40],
  ]);
});
