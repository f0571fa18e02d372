import { describe } from "vitest";
import { evilGlobs } from "./rows/rules/evil-globs.js";
import { evilRules } from "./rows/rules/evil-rules.js";
import { manyRules } from "./rows/rules/many-rules.js";
import { holdRows } from "./support/hold-rows.js";

describe("with rules that are evil", () => {
  holdRows([
    ["evil regexes hold nothing up", evilRules, 100],
    ["evil globs hold nothing up", evilGlobs, 200],
    ["very many rules decide in time", manyRules, 100],
  ]);
});
