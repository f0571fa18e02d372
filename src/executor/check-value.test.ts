import { describe, expect, it } from "vitest";
import type { JsonObject } from "../model/json.js";
import { compileCheck } from "./check-value.js";

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: "object", properties, ...rest });

describe("compileCheck", () => {
  it.each<[string, JsonObject, unknown, string[]]>([
    ["nothing for a valid value", object({ a: { type: "string" } }), { a: "x" }, []],
    ["a wrong type", object({ a: { type: "string" } }), { a: 1 }, ['/a is number, must be "string"']],
    ["a missing member", object({}, { required: ["a"] }), {}, [' lacks the required member "a"']],
    ["an unknown member", object({}, { additionalProperties: false }), { b: 1 }, [' has the unknown member "b"']],
    ["a value outside an enum", object({ a: { enum: ["x", "y"] } }), { a: "z" }, ['/a must be one of ["x","y"]']],
    [
      "a numeric string for an integer",
      object({ n: { type: "integer" } }),
      { n: "1" },
      ['/n is string, must be "integer"'],
    ],
    [
      "null for a type without null",
      object({ n: { type: "integer" } }),
      { n: null },
      ['/n is null, must be "integer"'],
    ],
    [
      "failed alternatives as one violation",
      object({ a: { anyOf: [{ type: "string" }, { type: "number" }] } }),
      { a: [] },
      ["/a matches none of the alternatives"],
    ],
    [
      "a violation behind a reference within the schema",
      object({ a: { $ref: "#/$defs/s" } }, { $defs: { s: { type: "string" } } }),
      { a: 1 },
      ['/a is number, must be "string"'],
    ],
    [
      "a violation behind a draft-07 definition",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        ...object({ a: { $ref: "#/definitions/s" } }, { definitions: { s: { type: "string" } } }),
      },
      { a: 1 },
      ['/a is number, must be "string"'],
    ],
  ])("reports %s", (_, schema, value, expected) => {
    expect(compileCheck(schema)(value).map(({ path, message }) => `${path} ${message}`)).toEqual(expected);
  });

  it.each<[string, JsonObject, unknown, string]>([
    ["a schema that forbids a member", object({ a: false }), { a: 1 }, ' Property "a" does not match schema'],
    [
      "a condition whose else branch is false",
      { if: { required: ["b"] }, else: false },
      { a: 1 },
      ' Instance does not match "else" schema',
    ],
    ["a reference to a false schema", { $ref: "#/$defs/no", $defs: { no: false } }, {}, " A subschema had errors"],
    ["a list whose items are forbidden", object({ a: { items: false } }), { a: [1] }, "/a Items did not match schema"],
    [
      "a missing member that another one requires (draft-07)",
      { $schema: "http://json-schema.org/draft-07/schema#", dependencies: { a: ["b"] } },
      { a: 1 },
      ' Instance has "a" but does not have "b"',
    ],
  ])("reports a violation for %s if only container keywords failed", (_, schema, value, expected) => {
    expect(compileCheck(schema)(value).map(({ path, message }) => `${path} ${message}`)).toEqual([expected]);
  });

  it("reports all violations at once, each with its path", () => {
    const schema = object(
      { a: { type: "string" }, list: { type: "array", items: object({ n: { type: "number" } }) } },
      { required: ["z"] },
    );
    const paths = compileCheck(schema)({ a: 1, list: [{ n: 1 }, { n: "x" }, { n: true }] }).map(({ path }) => path);
    expect(paths).toEqual(["", "/a", "/list/1/n", "/list/2/n"]);
  });

  const pair = [{ type: "string" }, { type: "number" }];
  it.each<[string, string | undefined, JsonObject, unknown, unknown]>([
    ["draft-04", "http://json-schema.org/draft-04/schema#", { minimum: 1, exclusiveMinimum: true }, 2, 1],
    ["draft-06", "http://json-schema.org/draft-06/schema#", { exclusiveMinimum: 1 }, 2, 1],
    ["draft-06", "http://json-schema.org/draft-06/schema", { propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
    ["draft-07", "http://json-schema.org/draft-07/schema#", { if: { const: 1 }, else: false }, 1, 2],
    ["draft-07", "http://json-schema.org/draft-07/schema#", { dependencies: { a: ["b"] } }, { a: 1, b: 1 }, { a: 1 }],
    ["draft-07", "http://json-schema.org/draft-07/schema#", { items: pair }, ["x", 1], [1, "x"]],
    ["2019-09", "https://json-schema.org/draft/2019-09/schema", { items: pair }, ["x", 1], [1, "x"]],
    ["2019-09", "https://json-schema.org/draft/2019-09/schema", { dependentRequired: { a: ["b"] } }, {}, { a: 1 }],
    ["2019-09", "https://json-schema.org/draft/2019-09/schema", { unevaluatedProperties: false }, {}, { a: 1 }],
    ["2020-12", "https://json-schema.org/draft/2020-12/schema", { prefixItems: pair }, ["x", 1], [1, "x"]],
    ["no dialect, as 2020-12", undefined, { prefixItems: pair }, ["x", 1], [1, "x"]],
  ])("validates %s (%s) with %j", (_, dialect, rest, right, wrong) => {
    const check = compileCheck({ ...(dialect === undefined ? {} : { $schema: dialect }), ...rest });
    expect(check(right)).toEqual([]);
    expect(check(wrong)).not.toEqual([]);
  });

  it.each([
    "https://example.com/dialect",
    "http://json-schema.org/draft-03/schema#",
    "https://json-schema.org/draft/next/schema",
    "",
    7,
    null,
  ])("rejects the unsupported dialect %j", (dialect) => {
    expect(() => compileCheck({ $schema: dialect })).toThrow("is not supported");
  });
});
