import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical.js";
import { isEqualJson } from "./is-equal.js";

const loop = (): object => {
  const value: { self?: object } = {};
  value.self = value;
  return value;
};
const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
};

describe("isEqualJson", () => {
  it.each<[string, unknown, unknown]>([
    ["members in another order", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ["an undefined member and none", { a: 1, b: undefined }, { a: 1 }],
    ["undefined and undefined", undefined, undefined],
    ["zero and minus zero", 0, -0],
    ["NaN and NaN", [Number.NaN], [Number.NaN]],
    ["dates of the same time", { at: new Date(5) }, { at: new Date(5) }],
    ["names that objects have", JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
    ["values that contain themselves", loop(), loop()],
    ["100,000 levels", nested(100_000), nested(100_000)],
  ])("is true for %s", (_, one, other) => {
    expect(isEqualJson(one, other)).toBe(true);
    expect(isEqualJson(other, one)).toBe(true);
  });

  it.each<[string, unknown, unknown]>([
    ["undefined and null", undefined, null],
    ["a null member and none", { a: null }, {}],
    ["one name and another", { a: 1 }, { b: 1 }],
    ["a member that the prototype has", { toString: 1 }, {}],
    ["names that objects have", JSON.parse('{"__proto__": 1}'), {}],
    ["items in another order", [1, 2], [2, 1]],
    ["a list and a longer one", [1], [1, 2]],
    ["a list and an object", [], {}],
    ["a list and an object with its items", ["a"], { 0: "a" }],
    ["a number and its text", 1, "1"],
    ["dates of different times", new Date(5), new Date(6)],
    ["a date and an empty object", new Date(5), {}],
    ["100,000 levels and one more", nested(100_000), nested(100_001)],
  ])("is false for %s", (_, one, other) => {
    expect(isEqualJson(one, other)).toBe(false);
    expect(isEqualJson(other, one)).toBe(false);
  });

  it("agrees with the canonical text and with Node.js on any two JSON values", () => {
    const small = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, true, 0, 1, "", "a"),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom("a", "b"), tie("value"), { maxKeys: 2 }),
      ),
    })).value;
    fc.assert(
      fc.property(small, small, (one, other) => {
        const [left, right] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        expect(isEqualJson(left, right)).toBe(canonicalJson(left) === canonicalJson(right));
        expect(isEqualJson(left, right)).toBe(isDeepStrictEqual(left, right));
      }),
      { numRuns: 500 },
    );
  });

  it("compares a value that is shared 2^40 times once", () => {
    const shared = (): unknown => {
      let value: unknown = [1];
      for (let level = 0; level < 40; level += 1) value = [value, value];
      return value;
    };
    expect(isEqualJson(shared(), shared())).toBe(true);
  });
});
