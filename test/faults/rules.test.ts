import { describe } from "vitest";
import { evilGlobs } from "./rows/rules/evil-globs.js";
import { evilRules } from "./rows/rules/evil-rules.js";
import { manyRules } from "./rows/rules/many-rules.js";
import { holdRows } from "./support/hold-rows.js";

describe("with rules that would backtrack", () => {
  holdRows([
    ["regular expressions do not block the gateway", evilRules, 100],
    ["globs do not block the gateway", evilGlobs, 200],
    ["many rules decide in time", manyRules, 100],
  ]);
});
