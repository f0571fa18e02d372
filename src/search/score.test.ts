import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RANKING } from "./constants.js";
import type { Postings } from "./postings.js";
import type { Term } from "./query.js";
import { createScorer } from "./score.js";

/** One word that occurs in these documents with these frequencies. */
function postingsOf(frequencies: readonly number[]): Postings {
  return {
    size: frequencies.length,
    starts: Uint32Array.of(0, frequencies.length),
    documents: Uint32Array.from(frequencies.keys()),
    frequencies: Uint16Array.from(frequencies),
    stemCounts: Uint32Array.of(frequencies.length),
  };
}

const TERM: Term = {
  word: "file",
  weight: 2,
  role: "content",
  clauses: 1,
  readings: [{ word: 0, kind: "exact", share: 1 }],
};

describe("createScorer", () => {
  it("returns the best accepted documents, sorted by score and then by number", () => {
    const frequency = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(fc.array(frequency, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (frequencies, max) => {
        const accepts = (document: number): boolean => document % 3 !== 0;
        const best = createScorer(postingsOf(frequencies), RANKING)([TERM], { max, accepts });
        const expected = [...frequencies.keys()]
          .filter(accepts)
          .sort((a, b) => (frequencies[b] ?? 0) - (frequencies[a] ?? 0) || a - b)
          .slice(0, max);
        expect(best.map(({ document }) => document)).toEqual(expected);
      }),
    );
  });

  it("adds up all readings of a word before saturation, and resets its state", () => {
    const score = createScorer(postingsOf([1024]), RANKING);
    const selection = { max: 5, accepts: () => true };
    const half = { word: 0, kind: "form", share: 0.5 } as const;
    const once = score([TERM], selection)[0]?.score ?? 0;
    const twice = score([{ ...TERM, readings: [half, half] }], selection)[0]?.score ?? 0;
    expect(once).toBeCloseTo(2 / (1 + RANKING.saturation), 10);
    expect(twice).toBeCloseTo(once, 10);
    expect(score([TERM, TERM], selection)[0]?.score).toBeCloseTo(2 * once, 10);
  });
});
