import { describe } from "vitest";
import { argumentKeys } from "./rows/schemas/argument-keys.js";
import { evilSchemas } from "./rows/schemas/evil-schemas.js";
import { oneBadTool } from "./rows/schemas/one-bad-tool.js";
import { schemaBombs } from "./rows/schemas/schema-bombs.js";
import { schemaReferences } from "./rows/schemas/schema-references.js";
import { schemaRoots } from "./rows/schemas/schema-roots.js";
import { holdRows } from "./support/hold-rows.js";

describe("with schemas that are evil", () => {
  holdRows([
    ["patterns that would backtrack for hours hold nothing up", evilSchemas, 1],
    ["schemas that explode are refused, and the next call is checked", schemaBombs, 1],
    ["schemas that refer to themselves or elsewhere cost their own tool only", schemaReferences, 1],
    ["arguments that reach a prototype are refused", argumentKeys, 40],
    ["clients can read every schema, and values are judged as it says", schemaRoots, 40],
    ["a broken tool keeps no other from being used", oneBadTool, 2],
  ]);
});
