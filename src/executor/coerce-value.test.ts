import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../model/json.js";
import { compileCheck } from "./check-value.js";
import { coerceValue } from "./coerce-value.js";

/** Coerces the value of the parameter `x`. */
function coerceX(schema: unknown, x: unknown, more: JsonObject = {}): unknown {
  const { value } = coerceValue({ type: "object", properties: { x: schema }, ...more }, { x });
  return (value as JsonObject)["x"];
}

const STRINGS = { type: "array", items: { type: "string" } };

describe("coerceValue", () => {
  it.each<[string, unknown, unknown, unknown]>([
    ["a number in a text", { type: "integer" }, "3", 3],
    ["a negative fraction in a text", { type: "number" }, "-0.25", -0.25],
    ["the largest exact integer", { type: "integer" }, "9007199254740991", 9007199254740991],
    ["a number for a text", { type: "string" }, 100, "100"],
    ["a boolean in a text", { type: "boolean" }, "true", true],
    ["one text for an array of texts", STRINGS, "a", ["a"]],
    ["one object for an array of objects", { type: "array", items: { type: "object" } }, { a: 1 }, [{ a: 1 }]],
    ["one number in a text for an array of numbers", { type: "array", items: { type: "number" } }, "3", [3]],
    ["an array in a JSON string", STRINGS, '["a","b"]', ["a", "b"]],
    ["an object in a JSON string", { type: "object" }, '{"a":1}', { a: 1 }],
    ["a value for an optional parameter", { anyOf: [{ type: "integer" }, { type: "null" }] }, "3", 3],
    ["a number of an enumeration", { enum: [1, 2] }, "2", 2],
    ["a number of a list of types", { type: ["integer", "null"] }, "3", 3],
    [
      "a member of an object in a JSON string",
      { type: "object", properties: { n: { type: "number" } } },
      '{"n":"1"}',
      { n: 1 },
    ],
    ["an item of an array", { type: "array", items: { type: "integer" } }, [1, "2"], [1, 2]],
    [
      "a member beside declared ones",
      { type: "object", additionalProperties: { type: "integer" } },
      { a: "1" },
      { a: 1 },
    ],
  ])("converts %s", (_, schema, given, expected) => {
    expect(coerceX(schema, given)).toEqual(expected);
  });

  it.each<[string, unknown, unknown]>([
    ["a number that overflows", { type: "number" }, "1e400"],
    ["leading zeros", { type: "integer" }, "007"],
    ["a hexadecimal number", { type: "integer" }, "0x10"],
    ["an integer beyond 2^53", { type: "integer" }, "12345678901234567890"],
    ["2^53 itself", { type: "integer" }, "9007199254740992"],
    ["a trailing zero", { type: "number" }, "1.0"],
    ["more digits than a number keeps", { type: "number" }, "0.10000000000000000001"],
    ["an exponent", { type: "number" }, "1e3"],
    ["negative zero", { type: "number" }, "-0"],
    ["a space", { type: "number" }, " 3"],
    ["an empty text", { type: "number" }, ""],
    ["infinity", { type: "number" }, "Infinity"],
    ["another spelling of true", { type: "boolean" }, "True"],
    ["1 for a boolean", { type: "boolean" }, 1],
    ["a large number for a text", { type: "string" }, 1e21],
    ["a boolean for a text", { type: "string" }, true],
    ["null for an array", STRINGS, null],
    ["a text for null", { type: "null" }, "null"],
    ["an array for one element", { type: "string" }, ["a"]],
    ["a JSON string with another type", { type: "object" }, "[1]"],
    ["a JSON string with a duplicate name", { type: "object" }, '{"a":1,"a":2}'],
    ["a JSON string with text after it", { type: "object" }, '{"a":1} and more'],
    ["a scalar for an array of arrays", { type: "array", items: { type: "array", items: { type: "number" } } }, null],
    ["a text that both alternatives could become", { type: ["integer", "array"] }, "3"],
    ["a value that one alternative allows", { anyOf: [{ type: "integer" }, { type: "string" }] }, "3"],
    ["the same with oneOf", { oneOf: [{ type: "string" }, { type: "integer" }] }, "3"],
    ["a value without a declared type", {}, "3"],
    ["a value with an unknown type", { type: "int" }, "3"],
  ])("leaves as sent: %s", (_, schema, given) => {
    expect(coerceX(schema, given)).toEqual(given);
  });

  it("does not nest one value in two arrays", () => {
    const nested = { type: "array", items: { type: "array", items: { type: "number" } } };
    expect(coerceX(nested, 3)).toEqual([3]);
    expect(compileCheck({ properties: { x: nested } })({ x: [3] })).not.toEqual([]);
  });

  it("follows references within the document, also circular ones", () => {
    const $defs = {
      count: { type: "integer" },
      circle: { $ref: "#/$defs/circle" },
      node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, n: { $ref: "#/$defs/count" } } },
    };
    expect(coerceX({ $ref: "#/$defs/count" }, "3", { $defs })).toBe(3);
    expect(coerceX({ allOf: [{ $ref: "#/$defs/count" }] }, "3", { $defs })).toBe(3);
    expect(coerceX({ $ref: "#/$defs/circle" }, "3", { $defs })).toBe("3");
    expect(coerceX({ $ref: "#/$defs/node" }, { next: { n: "1" } }, { $defs })).toEqual({ next: { n: 1 } });
    expect(coerceX({ $ref: "https://example.com/count.json" }, "3", { $defs })).toBe("3");
  });

  it("names each converted value by its path, without the value", () => {
    const schema = { type: "object", properties: { "a/b": { type: "integer" }, list: STRINGS } };
    const { coercions } = coerceValue(schema, { "a/b": "42", list: [7] });
    expect(coercions).toEqual([
      { path: "/a~1b", from: "string", to: "number" },
      { path: "/list/0", from: "number", to: "string" },
    ]);
  });

  const scalar = fc.oneof(
    fc.string(),
    fc.double({ noNaN: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.integer().map(String),
    fc.double({ noNaN: true }).map(String),
    fc.constantFrom("true", "false", "null", "007", "1e400", "[1]", '{"a":1}', "[]", "{}"),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: "small" }, scalar, fc.array(tie("any"), { maxLength: 3 }), tie("object")),
    object: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any"), { maxKeys: 3 }),
  }));
  const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
  const schema = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      fc.record({ type }),
      fc.record({ type: fc.uniqueArray(type, { minLength: 1, maxLength: 3 }) }),
      fc.record({ type: fc.constant("array"), items: tie("any") }),
      fc.record({ anyOf: fc.array(tie("any"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ enum: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
      tie("object"),
    ),
    object: fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any"), { maxKeys: 3 }),
    }),
  }));

  it("never converts a value whose type the schema allows at that place", () => {
    fc.assert(
      fc.property(schema.object, value.object, (one, given) => {
        const check = compileCheck(one);
        const { coercions } = coerceValue(one, given);
        // The type errors of the value as sent name every place that may be converted.
        const isInvalid = check(given).length > 0;
        expect(isInvalid || coercions.length === 0).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("loses nothing: every converted value can be converted back to the value as sent", () => {
    fc.assert(
      fc.property(schema.object, value.object, (one, given) => {
        const before = JSON.stringify(given);
        const { value: converted, coercions } = coerceValue(one, given);
        expect(JSON.stringify(given)).toBe(before);
        expect(coercions.length > 0 || converted === given).toBe(true);
        for (const { path, from } of coercions.filter((each) => isOutermost(each.path, coercions))) {
          expect(canBecome(at(converted, path), at(given, path), from)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function isOutermost(path: string, all: readonly { readonly path: string }[]): boolean {
  return !all.some((other) => other.path !== path && path.startsWith(`${other.path}/`));
}

function at(value: unknown, path: string): unknown {
  return path
    .split("/")
    .slice(1)
    .reduce<unknown>((found, step) => (found as JsonObject)[step], value);
}

/** Whether the converted value still contains the given one: as its text, as its only item or as its parsed JSON. */
function canBecome(converted: unknown, given: unknown, from: string): boolean {
  if (from === "number" && typeof converted === "string") return Object.is(Number(converted), given);
  if (typeof converted === "number" || typeof converted === "boolean") return String(converted) === given;
  const inText = typeof given === "string" ? parsedFrom(given) : undefined;
  if (typeof inText === "object" && inText !== null) return isSameJson(converted, inText);
  return Array.isArray(converted) && converted.length === 1;
}

function parsedFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Compares JSON values; a part that was converted inside a parsed value only has to have the same text. */
function isSameJson(one: unknown, other: unknown): boolean {
  const flat = (value: unknown): string => JSON.stringify(value).replaceAll(/["[\]\\]/g, "");
  return flat(one) === flat(other);
}
