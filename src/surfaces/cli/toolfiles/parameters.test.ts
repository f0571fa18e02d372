import { describe, expect, it } from "vitest";
import { toParameterText } from "./parameters.js";

const SCHEMA = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    on: { type: "boolean" },
    list: { type: "array" },
    map: { type: "object" },
    mixed: { type: ["integer", "string"] },
    maybe: { anyOf: [{ type: "integer" }, { type: "null" }] },
    named: { $ref: "#/$defs/amount" },
    level: { enum: [1, 2] },
    colour: { enum: ["red"] },
    free: {},
  },
  allOf: [{ properties: { inherited: { type: "integer" } } }],
  $defs: { amount: { type: "number" } },
};

const read = (...pairs: string[]): unknown => JSON.parse(toParameterText(pairs, SCHEMA));

describe("parameters", () => {
  it.each([
    ["text=12", { text: "12" }],
    ["text=", { text: "" }],
    ["text=a=b", { text: "a=b" }],
    ["text={}", { text: "{}" }],
    ["count=12", { count: 12 }],
    ["count=-1", { count: -1 }],
    ["ratio=1.5e3", { ratio: 1500 }],
    ["on=true", { on: true }],
    ["list=[1, 2]", { list: [1, 2] }],
    ['map={"a": null}', { map: { a: null } }],
    ["mixed=12", { mixed: "12" }],
    ["mixed:=12", { mixed: 12 }],
    ["maybe=null", { maybe: null }],
    ["maybe=3", { maybe: 3 }],
    ["named=2.5", { named: 2.5 }],
    ["level=2", { level: 2 }],
    ["colour=red", { colour: "red" }],
    ["free=7", { free: "7" }],
    ['text:="a"', { text: "a" }],
    ["inherited=4", { inherited: 4 }],
  ])("reads %s by the type in the schema", (pair, expected) => {
    expect(read(pair)).toEqual(expected);
  });

  it("takes several, in any order", () => {
    expect(read("count=1", "text=x")).toEqual({ count: 1, text: "x" });
  });

  it.each([
    ["cuont=1", 'The tool has no parameter "cuont".', "Did you mean count?"],
    ["zzz=1", 'The tool has no parameter "zzz".', "It takes: text, count,"],
    ["count=many", 'The parameter "count" has to be a number.', "count:=JSON"],
    ["count=1x", 'The parameter "count" has to be a number.', ""],
    ["on=yes", 'The parameter "on" has to be true or false.', ""],
    ["list=1,2", 'The parameter "list" has to be JSON.', "single quotes"],
    ["text:=a", 'The parameter "text" has to be JSON.', ""],
    ["text", '"text" is no parameter.', "NAME=VALUE"],
    ["=x", '"=x" is no parameter.', ""],
    [":=x", '":=x" is no parameter.', ""],
  ])("refuses %s, and does not repeat its value", (pair, message, hint) => {
    expect(() => read(pair)).toThrow(
      expect.objectContaining({ message, hint: expect.stringContaining(hint) as string }) as Error,
    );
  });

  it.each([
    [{ type: "object", additionalProperties: { type: "integer" } }, { any: 1 }] as const,
    [{}, { any: "1" }] as const,
  ])("takes any name where the schema %j does", (schema, expected) => {
    expect(JSON.parse(toParameterText(["any=1"], schema))).toEqual(expected);
  });

  it("ends with a schema that refers to itself", () => {
    const schema = { $ref: "#", properties: { a: { $ref: "#/properties/a" } } };
    expect(toParameterText(["a=1"], schema)).toBe('{"a":"1"}');
  });

  it("leaves what a reader would change to the executor, as it is written", () => {
    expect(toParameterText(["count=9007199254740993", "count=1"], SCHEMA)).toBe('{"count":9007199254740993,"count":1}');
  });
});
