import { expect, it } from "vitest";
import { toTypeExpression } from "./type-expression.js";

it.each<[unknown, string]>([
  [{ type: "string" }, "string"],
  [{ type: "string", format: "date-time" }, "string date-time"],
  [{ type: "string", minLength: 1, maxLength: 5 }, "string 1..5 chars"],
  [{ type: "string", pattern: "^a" }, "string /^a/"],
  [{ type: "integer", minimum: 1, maximum: 100 }, "integer 1..100"],
  [{ type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 }, "integer"],
  [{ type: "number", exclusiveMinimum: 0 }, "number >0"],
  [{ type: "number", minimum: 0 }, "number 0.."],
  [{ enum: ["open", "closed"] }, '"open"|"closed"'],
  [{ const: 5 }, "5"],
  [{ type: ["string", "null"] }, "string|null"],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string|null"],
  [{ type: "array", items: { type: "string" } }, "string[]"],
  [{ type: "array", items: { enum: ["a", "b"] }, minItems: 1 }, '("a"|"b")[] 1.. items'],
  [{ type: "array" }, "any[]"],
  [{ type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, "[string, number]"],
  [{ type: "object" }, "object"],
  [{ type: "object", additionalProperties: { type: "number" } }, "{[key]: number}"],
  [
    { type: "object", properties: { a: { type: "string" }, b: { type: "number", default: 1 } }, required: ["a"] },
    "{a: string, b?: number = 1}",
  ],
  [
    {
      allOf: [
        { type: "object", properties: { a: { type: "string" } } },
        { type: "object", properties: { b: { type: "string" } } },
      ],
    },
    "{a?: string} & {b?: string}",
  ],
  [{ $ref: "#/$defs/x", $defs: { x: { type: "boolean" } } }, "boolean"],
  [{ $ref: "#/$defs/n", $defs: { n: { type: "object", properties: { next: { $ref: "#/$defs/n" } } } } }, "{next?: n}"],
  [{ $ref: "#/$defs/%zz" }, "any"],
  [{ $ref: "https://example.com/x" }, "any"],
  [{}, "any"],
  [true, "any"],
  [null, "any"],
])("expresses %j as %s", (schema, expected) => {
  expect(toTypeExpression(schema)).toBe(expected);
});

it("ends long enumerations and deep nesting", () => {
  expect(toTypeExpression({ enum: Array.from({ length: 50 }, (_, n) => n) })).toMatch(/\|… 10 more$/);
  const deep = Array.from({ length: 20 }).reduce<object>((inner) => ({ type: "array", items: inner }), {
    type: "string",
  });
  expect(toTypeExpression(deep)).toContain("any");
});
