import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createProgressReports } from "./progress-reports.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function create() {
  const seen: number[] = [];
  const reports = createProgressReports(({ progress }) => void seen.push(Number(progress)));
  return { seen, send: (progress: unknown) => reports.take({ progress }), reports };
}

describe("the progress of a call", () => {
  it("loses nothing if there are few notifications", () => {
    const { seen, send } = create();
    for (let progress = 1; progress <= 20; progress += 1) send(progress);
    expect(seen).toHaveLength(20);
  });

  it("never decreases, never repeats and is always a number", () => {
    const { seen, send } = create();
    for (const progress of [1, 3, 2, 3, Number.NaN, "9", undefined, 4, -1, 5]) send(progress);
    expect(seen).toEqual([1, 3, 4, 5]);
  });

  it("passes on 20 notifications per second of 10,000, and always the newest", () => {
    const { seen, send } = create();
    let progress = 0;
    for (let ms = 0; ms < 1_000; ms += 1) {
      for (let count = 0; count < 10; count += 1) send((progress += 1));
      vi.advanceTimersByTime(1);
    }
    expect(seen.length).toBeGreaterThanOrEqual(38);
    expect(seen.length).toBeLessThanOrEqual(41);
    vi.advanceTimersByTime(50);
    expect(seen.at(-1)).toBe(10_000);
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
  });

  it("ends with the call", () => {
    const { seen, send, reports } = create();
    for (let progress = 1; progress <= 30; progress += 1) send(progress);
    reports.end();
    vi.advanceTimersByTime(1_000);
    send(31);
    expect(seen).toHaveLength(20);
    expect(vi.getTimerCount()).toBe(0);
  });
});
