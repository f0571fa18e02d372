import { describe, expect, it } from "vitest";
import { isPlainSchema, isSmallValue } from "./plain-schema.js";

const object = (properties: object, rest: object = {}) => ({ type: "object", properties, ...rest });

describe("isPlainSchema", () => {
  it.each<[string, unknown]>([
    [
      "types and bounds",
      object({ a: { type: "string", maxLength: 5 }, n: { type: "integer", minimum: 0 } }, { required: ["a"] }),
    ],
    ["nested objects and lists", object({ list: { type: "array", items: object({ x: { enum: ["a", "b"] } }) } })],
    [
      "closed objects",
      object({}, { additionalProperties: false, $schema: "https://json-schema.org/draft/2020-12/schema" }),
    ],
    [
      "annotations, whatever their values",
      object({ a: { description: "pattern: (a+)+$", default: { $ref: "#" }, examples: [{ anyOf: [] }] } }),
    ],
  ])("accepts %s", (_, schema) => {
    expect(isPlainSchema(schema)).toBe(true);
  });

  it.each<[string, unknown]>([
    ["a pattern", object({ a: { type: "string", pattern: "(a+)+$" } })],
    ["a pattern for names", object({}, { patternProperties: { "(a+)+$": {} } })],
    ["a reference", object({ a: { $ref: "#/$defs/a" } })],
    ["alternatives", object({ a: { anyOf: [{}, {}] } })],
    ["a combination", { allOf: [{}, {}] }],
    ["a format", object({ a: { format: "email" } })],
    ["unique items", object({ a: { type: "array", uniqueItems: true } })],
    ["an unknown keyword", object({ a: { "x-check": 1 } })],
    ["a keyword with a value of the wrong type", object({ a: { type: "object", required: true } })],
    ["a type that is not a string", object({ a: { type: { anyOf: [] } } })],
    ["a long enumeration", object({ a: { enum: Array.from({ length: 101 }) } })],
    ["too many properties", object(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`p${n}`, {}])))],
    ["deep nesting", Array.from({ length: 10 }).reduce<object>((inner) => ({ items: inner }), {})],
    ["properties that are not an object", object([] as object)],
    ["null", null],
  ])("rejects %s", (_, schema) => {
    expect(isPlainSchema(schema)).toBe(false);
  });
});

it("distinguishes a small value from one that would block the event loop", () => {
  expect(isSmallValue({ a: [1, { b: "x" }] })).toBe(true);
  expect(isSmallValue("x".repeat(1_000_000))).toBe(true);
  expect(isSmallValue(Array.from({ length: 1001 }, () => 0))).toBe(false);
  expect(isSmallValue({ a: Array.from({ length: 600 }, () => [0]) })).toBe(false);
});
