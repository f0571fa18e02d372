import { describe, expect, it } from "vitest";
import { findMismatch, readHeaderArguments, toArgumentHeaders } from "./header-arguments.js";

const headed = (type: string, header: unknown) => ({ type, "x-mcp-header": header });
const schemaOf = (properties: object) => ({ type: "object", properties });
const REGION = schemaOf({ region: headed("string", "Region") });

describe("arguments that are sent as headers", () => {
  it("are found at any depth of properties", () => {
    const schema = schemaOf({ where: schemaOf({ region: headed("string", "Region") }), n: headed("integer", "N") });
    expect(readHeaderArguments(schema)).toEqual({
      kind: "valid",
      declared: [
        { path: ["where", "region"], header: "Mcp-Param-Region", type: "string" },
        { path: ["n"], header: "Mcp-Param-N", type: "integer" },
      ],
    });
  });

  it.each([
    ["an argument with the name of the keyword", schemaOf({ "x-mcp-header": { type: "string" } })],
    [
      "a default value that looks like a declaration",
      schemaOf({ a: { type: "object", default: { "x-mcp-header": "A" } } }),
    ],
  ])("do not include %s", (_, schema) => {
    expect(readHeaderArguments(schema)).toEqual({ kind: "valid", declared: [] });
  });

  it.each([
    ["an empty name", schemaOf({ a: headed("string", "") })],
    ["a name with a space", schemaOf({ a: headed("string", "My Region") })],
    ["a name with a colon", schemaOf({ a: headed("string", "Region:Primary") })],
    ["a name with a non-ASCII letter", schemaOf({ a: headed("string", "Région") })],
    ["a name with a line break", schemaOf({ a: headed("string", "a\nb") })],
    ["a name that is not a string", schemaOf({ a: headed("string", 7) })],
    ["an object", schemaOf({ a: headed("object", "A") })],
    ["an array", schemaOf({ a: headed("array", "A") })],
    ["null", schemaOf({ a: headed("null", "A") })],
    ["a number with a fraction", schemaOf({ a: headed("number", "A") })],
    ["a duplicate name", schemaOf({ a: headed("string", "A"), b: headed("string", "A") })],
    ["a duplicate name in another letter case", schemaOf({ a: headed("string", "A"), b: headed("string", "a") })],
    ["an item of an array", schemaOf({ a: { type: "array", items: headed("string", "A") } })],
    ["one of several schemas", { ...schemaOf({}), anyOf: [schemaOf({ a: headed("string", "A") })] }],
    ["a definition", { ...schemaOf({}), $defs: { a: headed("string", "A") } }],
    ["the arguments object itself", { ...schemaOf({}), "x-mcp-header": "A" }],
  ])("are rejected for %s", (_, schema) => {
    expect(readHeaderArguments(schema).kind).toBe("invalid");
    expect(toArgumentHeaders(schema, { a: "x" })).toEqual({});
  });
});

describe("a value in a header", () => {
  it.each([
    ["plain text", "string", "us west 1", "us west 1"],
    ["non-ASCII text", "string", "Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    ["text with surrounding spaces", "string", " padded ", "=?base64?IHBhZGRlZCA=?="],
    ["text with a line break", "string", "line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["no text", "string", "", "=?base64??="],
    ["text that looks encoded", "string", "=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="],
    ["an integer", "integer", 42, "42"],
    ["a boolean", "boolean", false, "false"],
  ])("is encoded for %s, and matches", (_, type, value, header) => {
    const schema = schemaOf({ value: headed(type, "Value") });
    const headers = toArgumentHeaders(schema, { value });
    expect(headers).toEqual({ "Mcp-Param-Value": header });
    expect(findMismatch(schema, { value }, new Headers(headers))).toBeUndefined();
  });

  it.each([
    ["nothing", null],
    ["a missing value", undefined],
    ["a value that a header cannot represent", { deep: true }],
    ["an unsafe integer", 2 ** 60],
  ])("is omitted for %s, and not required", (_, region) => {
    expect(toArgumentHeaders(REGION, { region })).toEqual({});
    expect(findMismatch(REGION, { region }, new Headers())).toBeUndefined();
  });

  it.each([
    ["is missing", undefined],
    ["has another value", "Hallo"],
    ["lacks its padding", "=?base64?SGVsbG8?="],
    ["contains characters that are not base64", "=?base64?SGVs!!!bG8=?="],
    ["is not UTF-8", "=?base64?/w==?="],
  ])("does not match if it %s", (_, header) => {
    const headers = new Headers(header === undefined ? {} : { "mcp-param-region": header });
    expect(findMismatch(REGION, { region: "Hello" }, headers)).toBe("Mcp-Param-Region");
  });

  it.each(["SGVsbG8=", "=?base64?SGVsbG8="])("is used literally if it is not encoded: %s", (value) => {
    expect(findMismatch(REGION, { region: value }, new Headers({ "Mcp-Param-Region": value }))).toBeUndefined();
  });

  it("is compared as a number for integers", () => {
    const schema = schemaOf({ n: headed("integer", "N") });
    expect(findMismatch(schema, { n: 42 }, new Headers({ "mcp-param-n": "42.0" }))).toBeUndefined();
    expect(findMismatch(schema, { n: 42 }, new Headers({ "mcp-param-n": "0x2a" }))).toBe("Mcp-Param-N");
  });
});
