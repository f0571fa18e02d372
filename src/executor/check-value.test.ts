import { describe, expect, it } from "vitest";
import type { JsonObject } from "../model/json.js";
import { compileCheck } from "./check-value.js";

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: "object", properties, ...rest });

describe("compileCheck", () => {
  it.each<[string, JsonObject, unknown, string[]]>([
    ["a value that fits", object({ a: { type: "string" } }), { a: "x" }, []],
    ["a wrong type", object({ a: { type: "string" } }), { a: 1 }, ['/a is number, must be "string"']],
    ["a missing member", object({}, { required: ["a"] }), {}, [' lacks the required member "a"']],
    ["an unknown member", object({}, { additionalProperties: false }), { b: 1 }, [' has the unknown member "b"']],
    ["a value outside an enum", object({ a: { enum: ["x", "y"] } }), { a: "z" }, ['/a must be one of ["x","y"]']],
    ["no coercion of numbers", object({ n: { type: "integer" } }), { n: "1" }, ['/n is string, must be "integer"']],
    [
      "null where nothing allows it",
      object({ n: { type: "integer" } }),
      { n: null },
      ['/n is null, must be "integer"'],
    ],
    [
      "alternatives in one sentence",
      object({ a: { anyOf: [{ type: "string" }, { type: "number" }] } }),
      { a: [] },
      ["/a fits none of the alternatives"],
    ],
    [
      "references within the schema",
      object({ a: { $ref: "#/$defs/s" } }, { $defs: { s: { type: "string" } } }),
      { a: 1 },
      ['/a is number, must be "string"'],
    ],
    [
      "draft-07 definitions",
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

  it("reports all violations at once, each with its path", () => {
    const schema = object(
      { a: { type: "string" }, list: { type: "array", items: object({ n: { type: "number" } }) } },
      { required: ["z"] },
    );
    const paths = compileCheck(schema)({ a: 1, list: [{ n: 1 }, { n: "x" }, { n: true }] }).map(({ path }) => path);
    expect(paths).toEqual(["", "/a", "/list/1/n", "/list/2/n"]);
  });

  it("refuses a dialect that it does not know rather than let everything pass", () => {
    expect(() => compileCheck({ $schema: "https://example.com/dialect" })).toThrow("unknown");
  });
});
