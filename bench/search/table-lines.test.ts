import { describe, expect, it } from "vitest";
import { render } from "../../src/terminal/render.js";
import type { SetResult } from "./bench.js";
import { legendLines, evalTableLines } from "./table-lines.js";

const report = {
  queries: 1000,
  "hit@1": 0.5,
  "recall@1": 0.5,
  "recall@3": 0.75,
  "recall@5": 0.8,
  "recall@10": 1,
  "ndcg@10": 0.7,
  mrr: 0.6,
  shown: 0.9,
  empty: 0.02,
  refused: 0.01,
  tokens: { median: 120.4, p95: 400 },
  latencyMs: { median: 12.345, p95: 20, max: 30 },
};
const interval = { difference: 0.1234, low: -0.0004, high: 0.2, isBelow: false };
const comparison = {
  baseline: "minisearch",
  measures: {
    "hit@1": interval,
    "recall@5": { difference: -0.11, low: -0.21, high: -0.1, isBelow: true },
    "ndcg@10": interval,
  },
};
const set: SetResult = {
  name: "some-set",
  tools: 20_000,
  servers: 1,
  queries: [],
  unanswerable: 2,
  unknown: [],
  measured: [
    { ranker: "ours", report: { ...report, abstained: 0.7, abstainedRemoved: 0.2 }, answers: [] },
    { ranker: "minisearch", report, answers: [] },
  ],
  comparison,
  wordsComparison: undefined,
};
const draw = (...sets: SetResult[]) =>
  render(evalTableLines(sets, { ...set, rankers: set.measured }), { columns: 100, color: false }).split("\n");

describe("tableLines", () => {
  it("shows a row for each ranker, and compares ours with the best baseline", () => {
    expect(draw(set)).toEqual([
      "             hit@1 recall@1    @3    @5   @10 nDCG@10 shown empty  tokens     ms  none unanswerable: none removed",
      "some-set: 0 queries over 20000 tools on 1 server",
      "  ours       0.500    0.500 0.750 0.800 1.000   0.700 0.900 0.020 120/400  12.35 0.010              0.700   0.200",
      "  minisearch 0.500    0.500 0.750 0.800 1.000   0.700 0.900 0.020 120/400  12.35 0.010                  –       –",
      "  ours - minisearch:  hit@1 +12.3 [0.0, +20.0]  !recall@5 -11.0 [-21.0, -10.0]  ndcg@10 +12.3 [0.0, +20.0]",
      "",
    ]);
  });

  it("compares ours with words once, even if words is the best baseline", () => {
    const words = { ...comparison, baseline: "words" };
    const compared = (best: typeof comparison) =>
      draw({ ...set, comparison: best, wordsComparison: words })
        .filter((row) => row.startsWith("  ours - "))
        .map((row) => row.split(":")[0]);
    expect(compared(comparison)).toEqual(["  ours - minisearch", "  ours - words"]);
    expect(compared(words)).toEqual(["  ours - words"]);
  });

  it("ends with the macro average of several sets", () => {
    const rows = draw(set, set);
    expect(rows.filter((row) => row === "macro average of 2 sets")).toHaveLength(1);
    expect(rows).toHaveLength(14);
  });

  it("has no column for a measure that was not requested", () => {
    const plain = { ...set, measured: [{ ranker: "ours", report, answers: [] }], comparison: undefined };
    const [heads, ...rows] = render(evalTableLines([plain], { ...plain, rankers: plain.measured }), {
      columns: 100,
      color: false,
    }).split("\n");
    expect(heads).toMatch(/ none unanswerable: none$/);
    expect(rows).toHaveLength(3);
  });
});

describe("legendLines", () => {
  it("explains the columns in lines of at most 100 characters", () => {
    const options = { half: "tune", isUnseen: true, isByWords: true, isRemoving: true } as const;
    const text = render(legendLines(options), { columns: Infinity, color: false });
    for (const column of ["shown", "empty", "none", "removed"]) expect(text).toContain(`${column}: `);
    expect(text).toContain('Only the half "tune"');
    expect(text).toContain("none of whose tools are training data");
    expect(text).toContain("by words alone");
    expect(Math.max(...text.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
    const plain = { half: "all", isUnseen: false, isByWords: false, isRemoving: false } as const;
    expect(render(legendLines(plain), { columns: 100, color: false })).not.toMatch(/removed:|half "|training|alone/);
  });
});
