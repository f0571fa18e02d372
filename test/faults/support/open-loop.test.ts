import { describe, expect, it } from "vitest";
import { quantile, ratioOfQuantiles, slopeOf, toSlices } from "./measure.js";
import { type Finished, planArrivals, runOpenLoop } from "./open-loop.js";
import { createRandom } from "./random.js";

describe("an open loop", () => {
  it("plans the same calls for the same seed at the given average rate", () => {
    const plan = () => [
      ...planArrivals({ random: createRandom(7), perSecond: 200, seconds: 20, toCall: (number) => number }),
    ];
    expect(plan()).toEqual(plan());
    expect(plan().map(({ call }) => call)).toEqual(plan().map((_, index) => index));
    expect(Math.abs(plan().length - 4000)).toBeLessThan(4 * Math.sqrt(4000));
    expect(plan().every(({ atMs }, index, all) => atMs >= (all[index - 1]?.atMs ?? 0) && atMs < 20_000)).toBe(true);
  });

  it("counts the wait of a call that could not start as its latency", async () => {
    const finished: Finished<string, string>[] = [];
    let endFirst: (ending: string) => void = () => undefined;
    const started: string[] = [];
    const reported = runOpenLoop<string, string>({
      plan: ["first", "second"].map((call) => ({ atMs: 0, call })),
      send(call) {
        started.push(call);
        return call === "first" ? new Promise((resolve) => (endFirst = resolve)) : Promise.resolve("ok");
      },
      onFinished: (one) => void finished.push(one),
      maxInFlight: 1,
    });
    await Promise.resolve();
    expect(started).toEqual(["first"]);
    endFirst("late");
    expect(await reported).toMatchObject({ started: 2, maxInFlight: 1, heldBack: 1 });
    const [first, second] = finished;
    expect([first?.ending, second?.ending]).toEqual(["late", "ok"]);
    expect(second!.latencyMs).toBeGreaterThanOrEqual(first!.latencyMs);
  });

  it("starts no further call after a stop", async () => {
    const ending = new AbortController();
    const started: number[] = [];
    const reported = await runOpenLoop<number, void>(
      {
        plan: [1, 2, 3].map((call) => ({ atMs: call === 3 ? 3_600_000 : 0, call })),
        async send(call) {
          started.push(call);
          if (call === 2) ending.abort();
        },
        onFinished: () => undefined,
      },
      ending.signal,
    );
    expect(started).toEqual([1, 2]);
    expect(reported.started).toBe(2);
  });
});

describe("a measurement", () => {
  it.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
  ])("has the quantile %s", (share, value) => {
    expect(
      quantile(
        Array.from({ length: 100 }, (_, index) => 100 - index),
        share,
      ),
    ).toBe(value);
  });

  it("finds a real ratio, rejects a random one, and gives no result for few slices", () => {
    const random = createRandom(3);
    const slice = (times: number) => {
      const draw = (by: number): number[] => Array.from({ length: 200 }, () => (10 + random.next() * 5) * by);
      return { ours: draw(times), control: draw(1) };
    };
    const slices = (times: number) => Array.from({ length: 8 }, () => slice(times));
    expect(ratioOfQuantiles(slices(1.5), 0.99, random)!.from).toBeGreaterThan(1.2);
    expect(ratioOfQuantiles(slices(1), 0.99, random)!.from).toBeLessThan(1.1);
    expect(ratioOfQuantiles(slices(9).slice(0, 3), 0.99, random)).toBeUndefined();
    expect(ratioOfQuantiles([...slices(9), { ours: [], control: [1] }], 0.99, random)).toBeUndefined();
  });

  it("is cut into slices in its original order without losing values", () => {
    expect(toSlices([1, 2, 3, 4, 5], [6], 2)).toEqual([
      { ours: [1, 2], control: [] },
      { ours: [3, 4, 5], control: [6] },
    ]);
  });

  it("finds a real slope, and none in random variation", () => {
    const random = createRandom(5);
    const points = (slope: number) =>
      Array.from({ length: 30 }, (_, minute): [number, number] => [
        minute / 60,
        200 + (slope * minute) / 60 + random.next() * 3,
      ]);
    expect(slopeOf(points(40)).from).toBeGreaterThan(30);
    expect(slopeOf(points(0)).from).toBeLessThan(1);
  });

  it("rarely finds a slope in a random walk", () => {
    const random = createRandom(7);
    const wander = (): [number, number][] => {
      let height = 200;
      return Array.from({ length: 30 }, (_, minute) => [
        minute / 60,
        (height = 200 + (height - 200) * 0.8 + random.next() * 6 - 3),
      ]);
    };
    const found = Array.from({ length: 1000 }, () => slopeOf(wander()).from).filter((from) => from > 0);
    // One side of 95 % would be 25; without the correction for correlation it is over 200.
    expect(found.length).toBeLessThan(120);
    expect(found.length).toBeGreaterThan(0);
  });
});
