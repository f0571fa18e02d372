import { expect, it } from "vitest";
import { toPlainValue } from "./plain-value.js";

it.each([[{ a: [1, "x", null, true] }], [0], [""], [null]])("copies %j", (value) => {
  const plain = toPlainValue(value);
  expect(plain).toEqual({ value });
});

let deep: unknown = 1;
for (let level = 0; level < 30; level += 1) deep = [deep];

it.each([
  ["the key __proto__", JSON.parse('{"a":{"__proto__":1}}')],
  ["constructor as a key", { constructor: 1 }],
  ["an unsafe integer", [2 ** 60]],
  ["minus zero", -0],
  ["infinity", Infinity],
  ["a lone surrogate", "\ud800"],
  ["a NUL", { "a\0": 1 }],
  ["a value that is not JSON", { a: undefined }],
  ["a deeply nested value", deep],
  ["a value with many parts", Array.from({ length: 1_001 }, () => 1)],
])("rejects %s", (_, value) => {
  expect(toPlainValue(value)).toBeUndefined();
});
