import { describe, expect, it } from "vitest";
import { createRandom } from "./random.js";
import { judgeFigure, judgeRatio, judgeTime, together } from "./timing.js";

const many = (ms: number): number[] => Array.from({ length: 100 }, () => ms);
const slices = (ours: number, count = 8) =>
  Array.from({ length: count }, () => ({ ours: many(ours), control: many(10) }));

describe("a time", () => {
  it.each([
    ["within its gate", { ms: [10, 20], control: [1] }, "met", "20 ms", 0],
    ["over its gate on a machine that is as slow itself", { ms: [300, 400], control: [100] }, "not met", "400 ms", 0],
    ["over its gate and many times the control", { ms: [300, 400], control: [10] }, "not met", "400 ms", 1],
    ["over its gate without a control", { ms: [300], control: [] }, "not met", "300 ms", 1],
    [
      "over its gate by less than a slow machine explains",
      { ms: [300], control: [], timesGate: 3 },
      "not met",
      "300 ms",
      0,
    ],
    [
      "over its gate by more than a slow machine explains",
      { ms: [800], control: [], timesGate: 3 },
      "not met",
      "800 ms",
      1,
    ],
    ["without samples", { ms: [], control: [1] }, "not judged", "too few samples", 0],
  ] as const)("is %s", (_, given, verdict, seen, violations) => {
    const judged = judgeTime({ of: "it", gateMs: 250, ...given });
    expect(judged.gate).toEqual({ of: "it", allowed: "250 ms", seen, verdict });
    expect(judged.violations).toHaveLength(violations);
  });
});

describe("a ratio", () => {
  const judge = (given: Pick<Parameters<typeof judgeRatio>[0], "slices" | "unexplained">) =>
    judgeRatio({ of: "it", max: 1.2, random: createRandom(1), ...given });

  it.each([
    ["as the control", { slices: slices(10) }, "met", 0],
    ["twice the control", { slices: slices(20) }, "not met", 1],
    ["twice, which a busy machine explains", { slices: slices(20), unexplained: { times: 5, ms: 0 } }, "not met", 0],
    ["nine times, of a short wait", { slices: slices(90), unexplained: { times: 5, ms: 100 } }, "not met", 0],
    ["twenty times, of a long one", { slices: slices(200), unexplained: { times: 5, ms: 100 } }, "not met", 1],
    ["of too few slices", { slices: slices(200, 3) }, "not judged", 0],
    ["of an empty sample", { slices: [...slices(200), { ours: many(1), control: [] }] }, "not judged", 0],
  ] as const)("is %s", (_, given, verdict, violations) => {
    const judged = judge(given);
    expect(judged.gate).toMatchObject({ of: "it", allowed: "1.2 × the control", verdict });
    expect(judged.violations).toHaveLength(violations);
  });

  it("is reported with its confidence interval", () => {
    expect(judge({ slices: slices(20) }).gate.seen).toBe("2 (2 to 2)");
  });
});

it.each([
  [20, "met", 0],
  [60, "not met", 0],
  [90, "not met", 1],
  [Number.NaN, "not judged", 0],
] as const)("a figure of %s for 30 is %s", (seen, verdict, violations) => {
  const judged = judgeFigure({ of: "it", seen, max: 30, beyond: 80, unit: "%" });
  expect(judged.gate).toMatchObject({ allowed: "30 %", verdict });
  expect(judged.violations).toHaveLength(violations);
});

it("all judgements are reported together", () => {
  const slow = judgeTime({ of: "slow", ms: [9], gateMs: 1, control: [] });
  const quick = judgeTime({ of: "quick", ms: [1], gateMs: 1, control: [] });
  const { gates, violations } = together([slow, quick]);
  expect(gates.map(({ of, verdict }) => `${of} ${verdict}`)).toEqual(["slow not met", "quick met"]);
  expect(violations).toEqual(["slow: p99 9 ms, for 1 ms allowed and 0 ms of the control"]);
});
