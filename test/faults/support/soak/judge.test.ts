import { describe, expect, it } from "vitest";
import { createRandom } from "../random.js";
import { judgeTrend, type Look, toTrend } from "./judge.js";

const random = createRandom(3);
const samples = Array.from({ length: 720 }, () => ({ rssMiB: 300, storeMiB: 7 }));

/** An hour with a sample each minute; each kind of memory grows by this many MiB in the hour. */
function toLooks(grows: { readonly live?: number; readonly resident?: number }): Look[] {
  return Array.from({ length: 60 }, (_, minute) => ({
    hours: minute / 60,
    liveMiB: 90 + ((grows.live ?? 0) * minute) / 60 + random.next() * 0.3,
    residentMiB: 300 + ((grows.resident ?? 0) * minute) / 60 + random.next() * 8,
  }));
}

describe("the trend of a soak", () => {
  it.each([
    ["nothing grows", {}, []],
    ["live memory grows", { live: 3 }, [expect.stringContaining("the live memory grows by ")]],
    ["only resident memory grows", { resident: 60 }, [expect.stringContaining("the resident memory grows by ")]],
  ])("is judged if %s", (_, grows, violations) => {
    expect(judgeTrend(toTrend(samples, toLooks(grows)))).toEqual(violations);
  });

  it("covers the second half only: code is compiled and pools are filled in the first", () => {
    const filling = toLooks({}).map((look, minute) => ({ ...look, liveMiB: look.liveMiB - Math.max(0, 20 - minute) }));
    expect(judgeTrend(toTrend(samples, filling))).toEqual([]);
  });

  it("reports a growing store", () => {
    const growing = samples.map((sample, at) => ({ ...sample, storeMiB: 7 + at / 400 }));
    expect(judgeTrend(toTrend(growing, toLooks({})))).toEqual([expect.stringContaining("the store grows")]);
  });
});
