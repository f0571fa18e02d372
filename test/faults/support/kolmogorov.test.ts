import { describe, expect, it } from "vitest";
import { compareSamples } from "./kolmogorov.js";
import { createRandom } from "./random.js";

const sample = (seed: number, shift = 0): number[] => {
  const { next } = createRandom(seed);
  return Array.from({ length: 500 }, () => next() + shift);
};

describe("the comparison of two samples", () => {
  it("finds no difference between a sample and itself", () => {
    expect(compareSamples(sample(1), sample(1))).toEqual({ distance: 0, p: 1 });
  });

  it("finds no significant difference between two samples of one distribution", () => {
    expect(compareSamples(sample(1), sample(2)).p).toBeGreaterThan(0.05);
  });

  it("finds a shifted sample", () => {
    expect(compareSamples(sample(1), sample(2, 0.2)).p).toBeLessThan(1e-6);
  });

  it("gives the tabulated value: a distance of 1.36 over the root of half the size has p = 0.05", () => {
    const size = 10_000;
    const even = Array.from({ length: size }, (_, at) => at);
    const moved = even.map((at) => at + 1.358 * Math.sqrt(2 * size));
    expect(compareSamples(even, moved).p).toBeCloseTo(0.05, 2);
  });
});
