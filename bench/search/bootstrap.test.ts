import { describe, expect, it } from "vitest";
import { bootstrap } from "./bootstrap.js";

const repeat = (times: number, ...values: number[][]) => Array.from({ length: times }, () => values).flat();

describe("bootstrap", () => {
  it("returns an interval of width 0 if all queries have the same difference", () => {
    expect(bootstrap([repeat(5, [0.5, -1])], 2)).toEqual([
      { difference: 0.5, low: 0.5, high: 0.5 },
      { difference: -1, low: -1, high: -1 },
    ]);
  });

  it("agrees with the normal approximation for many queries", () => {
    // 400 fair coins of ±1: the standard error is 0.05.
    const [interval] = bootstrap([repeat(200, [1], [-1])], 1);
    expect(interval?.difference).toBeCloseTo(0, 10);
    expect(interval?.low).toBeCloseTo(-0.098, 1);
    expect(interval?.high).toBeCloseTo(0.098, 1);
    expect(interval?.low).toBeLessThan(-0.08);
    expect(interval?.high).toBeGreaterThan(0.08);
  });

  it("gives all sets the same weight, whatever their size, and ignores empty sets", () => {
    const [interval] = bootstrap([repeat(10, [1]), repeat(2, [0]), []], 1);
    expect(interval?.difference).toBeCloseTo(0.5, 10);
    expect(interval?.low).toBeCloseTo(0.5, 10);
  });

  it("returns the same numbers in every run", () => {
    const sets = [repeat(7, [0.1, 0.3], [-0.2, 0])];
    expect(bootstrap(sets, 2)).toEqual(bootstrap(sets, 2));
  });
});
