import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance } from "./edit-distance.js";

describe("editDistance", () => {
  it.each([
    ["issue", "issue", 2, 0],
    ["isue", "issue", 2, 1],
    ["isseu", "issue", 2, 1],
    ["issues", "issue", 2, 1],
    ["iszue", "issue", 2, 1],
    ["kitten", "sitting", 3, 3],
    ["kitten", "sitting", 2, 3],
    ["a", "abcdef", 2, 3],
    ["", "", 1, 0],
  ])("%s to %s within %i is %i", (left, right, limit, distance) => {
    expect(editDistance(left, right, limit)).toBe(distance);
  });

  it("is the same in both directions and never above the limit plus one", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 8 }), (left, right, limit) => {
        const distance = editDistance(left, right, limit);
        expect(editDistance(right, left, limit)).toBe(distance);
        expect(distance).toBe(Math.min(editDistance(left, right, 20), limit + 1));
      }),
    );
  });
});
