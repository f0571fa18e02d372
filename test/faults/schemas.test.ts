import { describe } from "vitest";
import { argumentKeys } from "./rows/schemas/argument-keys.js";
import { evilSchemas } from "./rows/schemas/evil-schemas.js";
import { oneBadTool } from "./rows/schemas/one-bad-tool.js";
import { schemaBombs } from "./rows/schemas/schema-bombs.js";
import { schemaReferences } from "./rows/schemas/schema-references.js";
import { schemaRoots } from "./rows/schemas/schema-roots.js";
import { holdRows } from "./support/hold-rows.js";

describe("with hostile schemas", () => {
  holdRows([
    ["patterns that would backtrack for hours do not block the gateway", evilSchemas, 1],
    ["schemas that grow exponentially are rejected, and the next call is validated", schemaBombs, 1],
    ["schemas with circular or external references affect only their own tool", schemaReferences, 1],
    ["arguments with prototype pollution keys are rejected", argumentKeys, 40],
    ["clients can read every schema, and values are validated against it", schemaRoots, 40],
    ["a broken tool does not affect the others", oneBadTool, 2],
  ]);
});
