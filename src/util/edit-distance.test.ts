import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, errorsAllowed, nearestWord } from "./edit-distance.js";

describe("editDistance", () => {
  it.each([
    ["", "", 1, 0],
    ["", "abc", 3, 3],
    ["same", "same", 0, 0],
    ["same", "some", 0, 1],
    ["comand", "command", 2, 1],
    ["commmand", "command", 2, 1],
    ["cimmand", "command", 2, 1],
    ["naem", "name", 2, 1],
    ["isseu", "issue", 1, 1],
    ["kitten", "sitting", 3, 3],
    ["kitten", "sitting", 2, 3],
    ["a", "abcdef", 2, 3],
  ])("of %j and %j within %i is %i", (left, right, limit, distance) => {
    expect(editDistance(left, right, limit)).toBe(distance);
    expect(editDistance(right, left, limit)).toBe(distance);
  });

  it("agrees with an exhaustive search, and never exceeds the limit plus one", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 8 }), (left, right, limit) => {
        const whole = distanceInFull(left, right);
        expect(editDistance(left, right, limit)).toBe(Math.min(whole, limit + 1));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** The textbook recursion over prefixes of both words. */
function distanceInFull(left: string, right: string): number {
  const known = new Map<string, number>();
  const between = (row: number, column: number): number => {
    if (row === 0 || column === 0) return Math.max(row, column);
    const key = `${row},${column}`;
    const same = left[row - 1] === right[column - 1];
    const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
    const distance =
      known.get(key) ??
      Math.min(
        between(row - 1, column) + 1,
        between(row, column - 1) + 1,
        between(row - 1, column - 1) + (same ? 0 : 1),
        row > 1 && column > 1 && swapped ? between(row - 2, column - 2) + 1 : Infinity,
      );
    known.set(key, distance);
    return distance;
  };
  return between(left.length, right.length);
}

describe("errorsAllowed", () => {
  it.each([
    [3, 0],
    [4, 1],
    [7, 1],
    [8, 2],
  ])("in a word of %i letters is %i", (length, errors) => {
    expect(errorsAllowed(length)).toBe(errors);
  });
});

describe("nearestWord", () => {
  it.each([
    ["tolRules", "toolRules"],
    ["TOOLRULES", "toolRules"],
    ["source", "sources"],
    ["sevrers", "servers"],
    ["banana", undefined],
    ["x", undefined],
    ["s".repeat(1000), undefined],
  ])("of %j is %j", (word, nearest) => {
    expect(nearestWord(word, ["servers", "sources", "toolRules"])).toBe(nearest);
  });
});
