import { expect, it } from "vitest";
import { createTypeWriter, toTypeExpression } from "./type-expression.js";

const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };

it.each<[unknown, string]>([
  [{ type: "string" }, "string"],
  [{ type: "string", format: "date-time" }, "string date-time"],
  [{ type: "string", minLength: 1, maxLength: 5 }, "string 1..5 chars"],
  [{ type: "string", minLength: 3, maxLength: 3 }, "string 3 chars"],
  [{ type: "string", minLength: 0 }, "string"],
  [{ type: "string", pattern: "^a" }, "string /^a/"],
  [{ type: "string", pattern: "^https?://" }, "string /^https?:\\/\\//"],
  [
    { type: "string", contentEncoding: "base64", contentMediaType: "image/png" },
    "string encoding=base64 media=image/png",
  ],
  [{ type: "integer", minimum: 1, maximum: 100 }, "integer 1..100"],
  [{ type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 }, "integer"],
  [{ type: "integer", format: "int64", multipleOf: 5 }, "integer int64 multiple of 5"],
  [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, "number >0 <1"],
  [{ type: "number", minimum: 0, exclusiveMinimum: true }, "number >0"],
  [{ type: "number", minimum: 0 }, "number 0.."],
  [{ enum: ["open", "closed"] }, "'open'|'closed'"],
  [{ enum: ["it's", 1, null, true] }, '"it\'s"|1|null|true'],
  [{ type: "string", enum: [] }, "never"],
  [{ const: 5 }, "5"],
  [{ type: ["string", "null"], minLength: 1 }, "string 1.. chars|null"],
  [{ type: "string", nullable: true }, "string|null"],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string|null"],
  [{ oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }, "string|string[]"],
  [
    {
      oneOf: ["a", "b"].map((kind) => ({ type: "object", properties: { kind: { const: kind } }, required: ["kind"] })),
    },
    "{kind: 'a'}|{kind: 'b'}",
  ],
  [{ oneOf: [{ required: ["a"] }, { required: ["b"] }] }, "oneOf({a: any}|{b: any})"],
  [{ oneOf: [{ enum: ["a", "b"] }, { enum: ["b", "c"] }] }, "oneOf(('a'|'b')|('b'|'c'))"],
  [{ oneOf: [{ enum: ["a", "b"] }, { enum: ["c"] }] }, "'a'|'b'|'c'"],
  [{ type: "string", not: { const: "x" } }, "string & not('x')"],
  [{ not: {} }, "never"],
  [{ type: "array", items: { type: "string" } }, "string[]"],
  [{ type: "array", items: { enum: ["a", "b"] }, minItems: 1, uniqueItems: true }, "('a'|'b')[] 1.. items unique"],
  [{ type: "array" }, "any[]"],
  [{ type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, "[string, number]"],
  [{ type: "array", items: [{ type: "string" }], additionalItems: { type: "number" } }, "[string, ...number[]]"],
  [{ type: "object" }, "object"],
  [{ type: "object", additionalProperties: false }, "{}"],
  [{ type: "object", additionalProperties: { type: "number" }, maxProperties: 3 }, "{[key]: number} ..3 keys"],
  [{ type: "object", additionalProperties: true, propertyNames: { enum: ["a", "b"] } }, "{['a'|'b']: any}"],
  [{ type: "object", patternProperties: { "^x-": { type: "string" } } }, "{[/^x-/]: string}"],
  [
    { type: "object", properties: { a: { type: "string" }, b: { type: "number", default: 1 } }, required: ["a"] },
    "{a: string, b?: number = 1}",
  ],
  [{ properties: { "two words": { type: "string", deprecated: true } } }, "{'two words'?: string deprecated}"],
  [{ properties: { a: {} }, required: ["b"] }, "{a?: any, b: any}"],
  [
    {
      allOf: [
        { type: "object", properties: { a: { type: "string" } } },
        { type: "object", properties: { b: { type: "string" } }, additionalProperties: false },
      ],
    },
    "{a?: string} & {b?: string, [key]: never}",
  ],
  [
    { type: "object", properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    "{a?: any, b?: any} & ({a: any}|{b: any})",
  ],
  [{ type: "string", anyOf: [{ format: "ipv4" }, { format: "ipv6" }] }, "string & (string ipv4|string ipv6)"],
  [{ $ref: "#/$defs/x", $defs: { x: { type: "boolean" } } }, "boolean"],
  [{ items: { $ref: "#/$defs/x" }, $defs: { x: { type: "string", default: "a" } } }, "(string = 'a')[]"],
  [{ $ref: "#/$defs/node", $defs: { node } }, "node"],
  [{}, "any"],
  [true, "any"],
  [false, "never"],
])("expresses %j as %s", (schema, expected) => {
  expect(toTypeExpression(schema)).toBe(expected);
  expect(createTypeWriter(schema, { noteLength: 80 }).write(schema).isWhole).toBe(true);
});

it.each<[unknown, string]>([
  [{ $ref: "#/$defs/%zz" }, "…"],
  [{ $ref: "https://example.com/x" }, "…"],
  [{ $ref: 5 }, "…"],
  [null, "…"],
  [{ type: "any" }, "any …"],
  [{ type: "string", if: { const: 1 } }, "string …"],
  [{ type: "string", format: "two words" }, "string …"],
  [{ type: "string", minLength: "3" }, "string …"],
  [{ type: "string", pattern: "*" }, "string …"],
  [{ type: "string", items: { enum: ["a"] } }, "string …"],
  [{ enum: [{ a: 1 }] }, "any …"],
  [{ enum: 5 }, "any …"],
  [{ anyOf: 5 }, "…"],
  [{ allOf: 5 }, "…"],
  [{ oneOf: [{ type: "string" }, { type: "string" }] }, "oneOf(string|string) …"],
  [{ type: "array", contains: { const: 1 } }, "any[] …"],
  [{ type: "object", unevaluatedProperties: { type: "string" } }, "object"],
  [{ properties: { __proto__: null, a: { dependentRequired: { b: ["c"] } } } }, "{a?: any …}"],
])("marks parts of %j that it cannot express: %s", (schema, expected) => {
  const { text, isWhole } = createTypeWriter(schema, { noteLength: 0 }).write(schema);
  expect({ text, isWhole }).toEqual({ text: expected, isWhole: false });
});

it("names a type that contains itself, or is long and used twice", () => {
  const long = { enum: Array.from({ length: 20 }, (_, n) => `value ${n}`) };
  const schema = {
    properties: { a: { $ref: "#/$defs/long" }, b: { $ref: "#/$defs/long" }, c: { $ref: "#/$defs/node" } },
    $defs: { long, node },
  };
  const writer = createTypeWriter(schema, { noteLength: 80 });
  expect(writer.write(schema).text).toBe("{a?: long, b?: long, c?: node}");
  expect(writer.types()).toEqual({ long: expect.stringMatching(/^'value 0'\|/u), node: "{next?: node}" });
});

it("is not complete if a named type is incomplete", () => {
  const schema = {
    $ref: "#/$defs/a",
    $defs: { a: { properties: { a: { $ref: "#/$defs/a" }, b: { if: {}, else: { minimum: 1 } } } } },
  };
  expect(createTypeWriter(schema, { noteLength: 0 }).write(schema).isWhole).toBe(false);
});

it("shows short descriptions and examples within a type, and reports when it cut one", () => {
  const schema = (description: string) => ({
    type: "array",
    items: { properties: { path: { type: "string", description, examples: ["/a", "/b", "/c"] } } },
  });
  const write = (description: string) => createTypeWriter({}, { noteLength: 20 }).write(schema(description));
  expect(write("absolute */ path")).toEqual({
    text: "{path?: string e.g. '/a'|'/b' /*absolute * / path*/}[]",
    isWhole: true,
    isCut: false,
  });
  expect(write("absolute, or relative to the root")).toMatchObject({ isCut: true });
});

it("stops at its limits of depth and size", () => {
  let deep: object = { type: "string" };
  for (let level = 0; level < 10_000; level++) deep = { type: "array", items: deep };
  expect(createTypeWriter(deep, { noteLength: 0 }).write(deep)).toMatchObject({ isWhole: false });
  // Each definition uses the next one twice: expanded it would have 2^40 parts.
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `d${n}`,
      { properties: { left: { $ref: `#/$defs/d${n + 1}` }, right: { $ref: `#/$defs/d${n + 1}` } } },
    ]),
  );
  const bomb = { $ref: "#/$defs/d0", $defs: { ...$defs, d40: { type: "string" } } };
  expect(toTypeExpression(bomb).length).toBeLessThan(1_000);
});
