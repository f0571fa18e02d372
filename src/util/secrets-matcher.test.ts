import fc from "fast-check";
import { expect, it } from "vitest";
import { createMatcher, replaceRanges } from "./secrets-matcher.js";

/** Which characters of the text belong to a word, by testing every position. */
function coveredBy(words: readonly string[], text: string): boolean[] {
  const covered = Array.from(text, () => false);
  for (const word of words) {
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
      covered.fill(true, at, at + word.length);
  }
  return covered;
}

it("finds the same as a separate search for every word, even if words repeat parts of themselves or of each other", () => {
  const piece = fc.constantFrom("a", "ab", "abab", "a".repeat(30), "ab".repeat(40), "aab");
  const text = (least: number, most: number) =>
    fc.array(piece, { minLength: least, maxLength: most }).map((pieces) => pieces.join(""));
  const words = fc.array(text(3, 8), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(words, words, text(0, 30), (first, second, searched) => {
      const matcher = createMatcher();
      matcher.add(first);
      matcher.add(second);
      const found = Array.from(searched, () => false);
      for (const { start, end } of matcher.find(searched)) found.fill(true, start, end);
      const all = [...first, ...second].filter((word) => word.length >= 6);
      expect(found).toEqual(coveredBy(all, searched));
    }),
    { seed: 7, numRuns: 500 },
  );
});

it("replaces overlapping or adjacent ranges as one, in any order", () => {
  const ranges = [
    { start: 6, end: 8 },
    { start: 0, end: 2 },
    { start: 2, end: 4 },
    { start: 1, end: 3 },
  ];
  expect(replaceRanges("0123456789", ranges, "*")).toBe("*45*89");
});
