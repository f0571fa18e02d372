import { expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.js";
import { isWithinDepth } from "./depth.js";

const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));

it("measures depth without exhausting the stack", () => {
  expect(isWithinDepth(deep, 64)).toBe(false);
  expect(isWithinDepth({ a: [{ b: 1 }] }, 64)).toBe(true);
  expect(isWithinDepth([[]], 1)).toBe(false);
});

it("writes equal values as equal text, whatever the order of their keys", () => {
  expect(canonicalJson({ b: [1, null, { d: "x", c: undefined }], a: true })).toBe('{"a":true,"b":[1,null,{"d":"x"}]}');
  expect(canonicalJson(undefined)).toBe("null");
});

it("writes a value of any depth", () => {
  expect(canonicalJson(deep)).toContain("too deep");
});
