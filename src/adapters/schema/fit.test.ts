import { describe, expect, it } from "vitest";
import { assertSchemaWithinLimits } from "../../executor/schema-limits.js";
import type { JsonObject } from "../../model/json.js";
import { toInputSchema } from "./fit.js";

const described = (text: string): JsonObject => ({ type: "string", description: text });
const many = (count: number, schema: JsonObject): Record<string, JsonObject> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`member${index}`, schema]));

function fit(properties: Record<string, JsonObject>, levels: JsonObject[] = []): JsonObject {
  const named = levels.map((schema, index) => [{ name: `D${index}`, schema }]);
  const bytes = levels.reduce((sum, schema) => sum + JSON.stringify(schema).length, 0);
  const schema = toInputSchema({ properties, required: [], alternatives: [] }, { levels: named, bytes });
  expect(() => assertSchemaWithinLimits(schema, "t")).not.toThrow();
  return schema;
}

describe("toInputSchema", () => {
  it("keeps a schema that fits complete, and copies it", () => {
    const given = { a: described("A.") };
    const schema = fit(given, [{ type: "object" }]);
    expect(schema).toEqual({
      type: "object",
      properties: given,
      additionalProperties: false,
      $defs: { D0: { type: "object" } },
    });
    expect((schema["properties"] as JsonObject)["a"]).not.toBe(given.a);
  });

  it("removes the descriptions of nested members first", () => {
    const nested = {
      type: "object",
      description: "Kept.",
      properties: { ...many(200, described("x".repeat(1_400))), description: described("gone") },
    };
    const schema = fit({ a: nested });
    const a = (schema["properties"] as Record<string, JsonObject>)["a"]!;
    expect(schema["$comment"]).toMatch(/^Shortened/);
    expect(a["description"]).toBe("Kept.");
    expect(a["properties"]).toEqual({ ...many(200, { type: "string" }), description: { type: "string" } });
  });

  it("removes the most distant definitions next", () => {
    const big = { properties: many(2_000, { type: "string", enum: ["a".repeat(50)] }) };
    const schema = fit({ a: { $ref: "#/$defs/D0" } }, [big, big, big, big]);
    expect(schema["$defs"]).toEqual({ D0: big, D1: {} });
  });

  it("removes everything below the arguments last", () => {
    const huge = { type: "object", properties: many(20_000, { type: "string" }) };
    expect(fit({ a: { ...huge, description: "All." } })["properties"]).toEqual({
      a: { type: "object", description: "All." },
    });
  });

  it("rejects a tool whose arguments alone do not fit", () => {
    expect(() => fit(many(30_000, { type: "string" }))).toThrow("more parameters than fit");
  });
});
