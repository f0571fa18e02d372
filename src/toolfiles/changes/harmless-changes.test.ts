import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.js";
import type { ToolDefinition } from "../../model/tool.js";
import { definitionHash } from "../format/tool-file.js";
import { compareDefinitions } from "./compare-definitions.js";

const text = { type: "string" };
const whole = { type: "integer" };
const output = (outputSchema: JsonObject): ToolDefinition => ({ name: "x", inputSchema: {}, outputSchema });

describe("compareDefinitions", () => {
  const keyword = fc.oneof(
    fc.record({ type: fc.constantFrom("string", "integer", "number") }),
    fc.record({ enum: fc.uniqueArray(fc.integer({ min: 0, max: 5 })) }),
    fc.record({ minimum: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ description: fc.string() }),
    fc.record({ anyOf: fc.array(fc.constantFrom(text, whole), { maxLength: 3 }) }),
    fc.constant({ $ref: "#/$defs/node" }),
  );
  const schema = fc.array(keyword, { maxLength: 3 }).map((parts): JsonObject => Object.assign({}, ...parts));
  const definition = fc
    .record({
      properties: fc.dictionary(fc.constantFrom("a", "b", "c"), schema),
      required: fc.subarray(["a", "b", "c"]),
      node: schema,
      description: fc.option(fc.constantFrom("A", "B"), { nil: undefined }),
    })
    .map(({ properties, required, node, description }): ToolDefinition => {
      const { $ref: _, ...target } = node;
      const inputSchema = { type: "object", properties, required, $defs: { node: target } };
      const tool = { name: "x", inputSchema };
      return description === undefined ? tool : { ...tool, description };
    });

  it("finds no difference for equal definitions, and one for every other hash", () => {
    fc.assert(
      fc.property(definition, definition, (one, other) => {
        expect(compareDefinitions(one, one)).toEqual({ kind: "same", differences: [] });
        const { kind, differences } = compareDefinitions(one, other);
        expect(kind === "same").toBe(definitionHash(one) === definitionHash(other));
        expect(differences.length > 0).toBe(kind !== "same");
      }),
      { numRuns: 500 },
    );
  });

  it("finds text changes in both directions, and never a compatible change in both", () => {
    fc.assert(
      fc.property(definition, definition, (one, other) => {
        const [there, back] = [compareDefinitions(one, other).kind, compareDefinitions(other, one).kind];
        expect(there === "patch").toBe(back === "patch");
        expect(there === "minor" ? back : "major").toBe("major");
      }),
      { numRuns: 500 },
    );
  });

  const leaf = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom(0.5, "x", null));
  const value = fc.dictionary(fc.constantFrom("a", "b", "c"), leaf, { noNullPrototype: true });
  const isValid = (schema: JsonObject, given: unknown) => new Validator(schema, "2020-12").validate(given).valid;

  /** The values that the first schema accepts and the second one rejects. */
  const lost = (before: JsonObject, after: JsonObject, values: readonly object[]) =>
    values.filter((given) => isValid(before, given) && !isValid(after, given));

  it("calls no change compatible that rejects a valid call or breaks the output schema", () => {
    let harmless = 0;
    fc.assert(
      fc.property(definition, schema, fc.array(value, { minLength: 20, maxLength: 20 }), (before, part, values) => {
        const old = before.inputSchema;
        const properties = old["properties"] as JsonObject;
        const now = { ...old, properties: { ...properties, a: { ...(properties["a"] as JsonObject), ...part } } };
        const isKnown = (given: object) => Object.keys(given).every((key) => Object.hasOwn(properties, key));
        const calls = compareDefinitions(before, { ...before, inputSchema: now }).kind !== "major";
        const answers = compareDefinitions(output(old), output(now)).kind !== "major";
        harmless += Number(calls);
        expect(calls ? lost(old, now, values.filter(isKnown)) : []).toEqual([]);
        expect(answers ? lost(now, old, values) : []).toEqual([]);
      }),
      { numRuns: 500 },
    );
    expect(harmless).toBeGreaterThan(50);
  });
});
