import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { argumentKeys } from "./rows/schemas/argument-keys.js";
import { oneBadTool } from "./rows/schemas/one-bad-tool.js";
import { schemaBombs } from "./rows/schemas/schema-bombs.js";
import { schemaReferences } from "./rows/schemas/schema-references.js";
import { schemaRoots } from "./rows/schemas/schema-roots.js";
import type { Row } from "./support/row.js";

const SEED = 1;
const LIMIT_MS = 120_000;
const dist = join(ROOT, "dist");

/** A few of each; `npm run faults` runs the full counts. */
describe("with schemas that are evil", () => {
  it.each<[string, Row, number]>([
    ["schemas that explode are refused, and the next call is checked", schemaBombs, 1],
    ["schemas that refer to themselves or elsewhere cost their own tool only", schemaReferences, 1],
    ["arguments that reach a prototype are refused", argumentKeys, 40],
    ["clients can read every schema, and values are judged as it says", schemaRoots, 40],
    ["a broken tool keeps no other from being used", oneBadTool, 2],
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
