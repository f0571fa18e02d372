import { describe } from "vitest";
import { argvSecrets } from "./rows/secrets/argv-secrets.js";
import { childVariables } from "./rows/secrets/child-variables.js";
import { templatesKept } from "./rows/secrets/templates-kept.js";
import { holdRows } from "./support/hold-rows.js";

describe("with secrets around", () => {
  holdRows([
    ["no command line holds the value of a variable under a strict policy", argvSecrets, 8],
    ["servers see no variable that is not theirs", childVariables, 50],
    ["commands write no value of a variable", templatesKept, 2],
  ]);
});
