import { describe, expect, it } from "vitest";
import { compareSamples } from "./kolmogorov.js";
import { createRandom } from "./random.js";

const sample = (seed: number, shift = 0): number[] => {
  const { next } = createRandom(seed);
  return Array.from({ length: 500 }, () => next() + shift);
};

describe("the comparison of two samples", () => {
  it("finds no difference in the same one", () => {
    expect(compareSamples(sample(1), sample(1))).toEqual({ distance: 0, p: 1 });
  });

  it("finds none to speak of in two of one kind", () => {
    expect(compareSamples(sample(1), sample(2)).p).toBeGreaterThan(0.05);
  });

  it("finds one that is moved", () => {
    expect(compareSamples(sample(1), sample(2, 0.2)).p).toBeLessThan(1e-6);
  });

  it("gives the value of the tables: a distance of 1.36 over the root of half the size is one in twenty", () => {
    const size = 10_000;
    const even = Array.from({ length: size }, (_, at) => at);
    const moved = even.map((at) => at + 1.358 * Math.sqrt(2 * size));
    expect(compareSamples(even, moved).p).toBeCloseTo(0.05, 2);
  });
});
