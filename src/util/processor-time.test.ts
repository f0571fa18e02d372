import { expect, it } from "vitest";
import { idleShare, readProcessorTime } from "./processor-time.js";

it.each([
  [{ idle: 10, all: 100 }, { idle: 60, all: 200 }, 0.5],
  [{ idle: 10, all: 100 }, { idle: 10, all: 200 }, 0],
  [{ idle: 10, all: 100 }, { idle: 10, all: 100 }, 0],
])("tells what share of the time between two readings was idle", (from, to, share) => {
  expect(idleShare(from, to)).toBe(share);
});

it("reads what grows, and of which idle time is a part", () => {
  const from = readProcessorTime();
  while (readProcessorTime().all === from.all);
  const to = readProcessorTime();
  expect(from.idle).toBeLessThanOrEqual(from.all);
  expect(to.idle).toBeGreaterThanOrEqual(from.idle);
});
