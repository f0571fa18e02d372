import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { argvSecrets } from "./rows/secrets/argv-secrets.js";
import { childVariables } from "./rows/secrets/child-variables.js";
import { templatesKept } from "./rows/secrets/templates-kept.js";
import type { Row } from "./support/row.js";

const SEED = 1;
const LIMIT_MS = 120_000;
const dist = join(ROOT, "dist");

/** A few of each; `npm run faults` runs the full counts. */
describe("with secrets around", () => {
  it.each<[string, Row, number]>([
    ["no command line holds the value of a variable under a strict policy", argvSecrets, 8],
    ["servers see no variable that is not theirs", childVariables, 50],
    ["commands write no value of a variable", templatesKept, 2],
  ])(
    "%s",
    async (_, row, count) => {
      const result = await row({ count, seed: SEED, dist, failpoints: dist });
      expect(result.violations).toEqual([]);
      expect(result.injected).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
