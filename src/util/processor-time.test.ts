import { expect, it } from "vitest";
import { idleShare, readProcessorTime } from "./processor-time.js";

it.each([
  [{ idle: 10, all: 100 }, { idle: 60, all: 200 }, 0.5],
  [{ idle: 10, all: 100 }, { idle: 10, all: 200 }, 0],
  [{ idle: 10, all: 100 }, { idle: 10, all: 100 }, 0],
])("returns the idle share of the time between two readings", (from, to, share) => {
  expect(idleShare(from, to)).toBe(share);
});

it("returns increasing times, and idle time is a part of the total", () => {
  const from = readProcessorTime();
  while (readProcessorTime().all === from.all);
  const to = readProcessorTime();
  expect(from.idle).toBeLessThanOrEqual(from.all);
  expect(to.idle).toBeGreaterThanOrEqual(from.idle);
});
