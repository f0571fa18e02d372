import { describe } from "vitest";
import { argvSecrets } from "./rows/secrets/argv-secrets.js";
import { childVariables } from "./rows/secrets/child-variables.js";
import { templatesKept } from "./rows/secrets/templates-kept.js";
import { holdRows } from "./support/hold-rows.js";

describe("with secrets in the configuration", () => {
  holdRows([
    ["no command line contains the value of a variable under a strict policy", argvSecrets, 8],
    ["servers see only their own variables", childVariables, 50],
    ["commands write no value of a variable", templatesKept, 2],
  ]);
});
