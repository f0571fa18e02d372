import { describe } from "vitest";
import { forgedFiles } from "./rows/integrity/forged-files.js";
import { lookalikes } from "./rows/integrity/lookalikes.js";
import { terminalText } from "./rows/integrity/terminal-text.js";
import { holdRows } from "./support/hold-rows.js";

describe("servers and tool files", () => {
  holdRows([
    ["are not used without a trusted signature", forgedFiles, 20],
    ["do not answer for a server with a similar name", lookalikes, 2],
    ["print no control characters to a terminal", terminalText, 3],
  ]);
});
