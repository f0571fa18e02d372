import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, hashCanonical } from "./canonical.js";

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  );
};
const KEY = Buffer.from("key");

describe("canonicalJson", () => {
  it("writes the example of RFC 8785", () => {
    const value = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "€$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it("sorts keys by UTF-16 code units, as in RFC 8785, and not by code points", () => {
    const value = { "€": 1, "\r": 2, "\ufb33": 3, "1": 4, "😀": 5, "\u0080": 6, ö: 7 };
    expect(Object.values(JSON.parse(canonicalJson(value)))).toEqual([4, 2, 6, 7, 1, 5, 3]);
    expect(canonicalJson({ b: 1, a: { d: [], c: {} } })).toBe('{"a":{"c":{},"d":[]},"b":1}');
  });

  it("parses back to the same value, for any order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
        expect(canonicalJson(shuffled(plain))).toBe(canonicalJson(plain));
      }),
      { numRuns: 1000 },
    );
  });

  it("treats an undefined member as absent", () => {
    expect(canonicalJson({ b: undefined, a: [{ d: "x", c: undefined }] })).toBe('{"a":[{"d":"x"}]}');
    expect(canonicalJson({ a: undefined })).not.toBe(canonicalJson({ a: null }));
  });

  it.each([undefined, [undefined], { a: Number.NaN }, Number.POSITIVE_INFINITY, 1n, Symbol("x"), { a: () => 1 }])(
    "throws for %o instead of omitting it",
    (value) => {
      expect(() => canonicalJson(value)).toThrow(TypeError);
    },
  );

  it("throws for a value that contains itself, and writes a shared part each time", () => {
    const loop: Record<string, unknown> = {};
    loop["list"] = [loop, loop];
    expect(() => canonicalJson(loop)).toThrow("contains itself");
    const part = { x: [1] };
    expect(canonicalJson([part, part])).toBe('[{"x":[1]},{"x":[1]}]');
  });

  it("does not exhaust the stack", () => {
    let value: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) value = [value];
    expect(canonicalJson(value)).toHaveLength(200_001);
  });
});

describe("hashCanonical", () => {
  it("is the HMAC-SHA-256 of the canonical text", () => {
    expect(hashCanonical({ a: 1 }, KEY)).toBe("88a67f24bbcdaed0e6c997404bb79a743baf44c6bab2f4c27328e3009d22e342");
  });

  it("is equal for equal values and differs by value and by key", () => {
    const hash = hashCanonical({ a: 1, b: [2] }, KEY);
    expect(hashCanonical({ b: [2], a: 1 }, KEY)).toBe(hash);
    expect(hashCanonical({ a: 1, b: ["2"] }, KEY)).not.toBe(hash);
    expect(hashCanonical({ a: 1, b: [2] }, Buffer.from("other"))).not.toBe(hash);
  });
});
