import { describe, expect, it } from "vitest";
import { type AnsweredSet, calibrate } from "./calibration.js";

/** For each query, the stated relevance of its hits. A negative number marks a correct hit. */
const set = (...hits: number[][]): AnsweredSet => ({
  queries: hits.map((_, number) => ({ query: `q${number}`, relevant: [{ id: "right" }] })),
  answers: hits.map((stated) => ({
    ids: stated.map((relevance, rank) => (relevance < 0 ? "right" : `wrong${rank}`)),
    stated: stated.map(Math.abs),
    tokens: 0,
    latencyMs: 0,
  })),
});

describe("calibrate", () => {
  const calibration = calibrate([set([-0.95, 0.2], [0.9], [-0.9], []), set([0.92])]);

  it("compares stated relevance and correctness in each bin", () => {
    expect(calibration.queries).toBe(5);
    expect(calibration.first).toHaveLength(10);
    expect(calibration.first[0]).toEqual({ from: 0, to: 0.1, hits: 0 });
    expect(calibration.first[2]).toEqual({ from: 0.2, to: 0.3, hits: 0 });
    expect(calibration.all[2]).toMatchObject({ hits: 1, raw: { stated: 0.2, right: 0 } });
  });

  it("gives hits the same weight in raw figures, and sets the same weight in equal figures", () => {
    const last = calibration.first[9];
    expect(last?.hits).toBe(4);
    expect(last?.raw?.right).toBeCloseTo(2 / 4, 10);
    expect(last?.raw?.stated).toBeCloseTo((0.95 + 0.9 + 0.9 + 0.92) / 4, 10);
    expect(last?.equal?.right).toBeCloseTo((2 / 3 + 0) / 2, 10);
    expect(last?.equal?.stated).toBeCloseTo((2.75 / 3 + 0.92) / 2, 10);
  });

  it("reports the share of queries with a confident best hit, and how often it is correct", () => {
    const { from, equal, raw } = calibration.confident;
    expect(from).toBe(0.8);
    expect(raw.share).toBeCloseTo(4 / 5, 10);
    expect(raw.right).toBeCloseTo(2 / 4, 10);
    expect(equal.share).toBeCloseTo((3 / 4 + 1) / 2, 10);
    expect(equal.right).toBeCloseTo(2 / 4 / (3 / 4 + 1), 10);
  });

  it.each([
    [0.1, 1],
    [0.29, 2],
    [0.3, 3],
    [0.57, 5],
    [0.6, 6],
    [0.7, 7],
    [0.8, 8],
    [1, 9],
  ])("puts %f into bin %i", (stated, bin) => {
    expect(calibrate([set([stated])]).first.findIndex(({ hits }) => hits === 1)).toBe(bin);
  });

  it("returns empty bins without answers", () => {
    const { first, confident } = calibrate([set([])]);
    expect(first.every(({ hits }) => hits === 0)).toBe(true);
    expect(confident).toEqual({ from: 0.8, equal: { share: 0, right: 0 }, raw: { share: 0, right: 0 } });
  });
});
