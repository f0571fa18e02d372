import { describe } from "vitest";
import { forgedFiles } from "./rows/integrity/forged-files.js";
import { lookalikes } from "./rows/integrity/lookalikes.js";
import { terminalText } from "./rows/integrity/terminal-text.js";
import { holdRows } from "./support/hold-rows.js";

describe("what servers and files say of themselves", () => {
  holdRows([
    ["counts for nothing where nobody vouches for it", forgedFiles, 20],
    ["lets nobody answer for another", lookalikes, 2],
    ["does nothing to a terminal", terminalText, 3],
  ]);
});
