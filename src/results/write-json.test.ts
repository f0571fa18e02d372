import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runAtOnce } from "./slices.js";
import { writeJsonText } from "./write-json.js";

describe("writeJsonText", () => {
  it("writes the same text as JSON.stringify", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        expect(runAtOnce(writeJsonText(value, { indent }))).toBe(JSON.stringify(value, null, indent));
      }),
    );
  });

  it("limits the indentation of deeply nested values", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(runAtOnce(writeJsonText(deep, { indent: 2 }))!.length).toBeLessThan(10_000_000);
  });

  it("returns undefined if the text is longer than the limit", () => {
    expect(runAtOnce(writeJsonText([1, 2, 3], { maxCharacters: 7 }))).toBe("[1,2,3]");
    expect(runAtOnce(writeJsonText([1, 2, 3], { maxCharacters: 6 }))).toBeUndefined();
    let doubled: unknown = "ab";
    for (let level = 0; level < 60; level += 1) doubled = [doubled, doubled];
    expect(runAtOnce(writeJsonText(doubled, { maxCharacters: 100_000 }))).toBeUndefined();
  });
});
