import { describe, expect, it } from "vitest";
import { averageScores, evaluateOutcomes, scoreAnswer } from "./evaluate.js";

const report = evaluateOutcomes(
  [
    { query: "first", relevant: [{ id: "a" }] },
    { query: "third", relevant: [{ id: "b" }] },
    {
      query: "half",
      relevant: [
        { id: "c", grade: 1 },
        { id: "d", grade: 2 },
      ],
    },
    { query: "none", relevant: [{ id: "e" }] },
    { query: "closest", relevant: [{ id: "f" }] },
  ],
  [
    { ids: ["a", "x"], fit: "good", tokens: 10, latencyMs: 1 },
    { ids: ["x", "y", "b"], fit: "unsure", tokens: 20, latencyMs: 2 },
    { ids: ["x", "c", "y", "z"], tokens: 30, latencyMs: 3 },
    { ids: [], fit: "none", tokens: 5, latencyMs: 10 },
    { ids: ["x"], fit: "none", tokens: 8, latencyMs: 1 },
  ],
);

describe("evaluateOutcomes", () => {
  it("reports exactly the documented keys", () => {
    expect(Object.keys(report)).toEqual(
      "queries hit@1 recall@1 recall@3 recall@5 recall@10 ndcg@10 mrr shown empty refused tokens latencyMs".split(" "),
    );
  });

  it("computes the measures", () => {
    const log3 = Math.log2(3);
    expect(report).toEqual({
      queries: 5,
      "hit@1": 1 / 5,
      "recall@1": 1 / 5,
      "recall@3": 2.5 / 5,
      "recall@5": 2.5 / 5,
      "recall@10": 2.5 / 5,
      "ndcg@10": (1 + 1 / 2 + 1 / log3 / (3 + 1 / log3)) / 5,
      mrr: (1 + 1 / 3 + 1 / 2) / 5,
      shown: 3 / 5,
      empty: 1 / 5,
      refused: 2 / 5,
      tokens: { median: 10, p95: 30 },
      latencyMs: { median: 2, p95: 10, max: 10 },
    });
  });

  it("counts nothing for queries without labels", () => {
    const unlabelled = evaluateOutcomes([{ query: "q", relevant: [] }], [{ ids: ["a"], tokens: 1, latencyMs: 0 }]);
    expect(unlabelled).toMatchObject({
      queries: 1,
      "recall@5": 0,
      "ndcg@10": 0,
      mrr: 0,
      shown: 0,
      empty: 0,
      refused: 0,
    });
  });

  it("accepts an empty set", () => {
    expect(evaluateOutcomes([], [])).toMatchObject({
      queries: 0,
      "hit@1": 0,
      latencyMs: { median: 0, p95: 0, max: 0 },
    });
  });
});

describe("scoreAnswer", () => {
  it("counts every relevant tool as found, and uses grades only in ndcg@10", () => {
    const scores = scoreAnswer(
      [
        { id: "a", grade: 0 },
        { id: "b", grade: 2 },
      ],
      ["a", "b"],
    );
    expect(scores).toMatchObject({ "hit@1": 1, "recall@1": 0.5, "recall@3": 1, mrr: 1, refused: 0 });
    expect(scores["ndcg@10"]).toBeCloseTo(1 / Math.log2(3), 10);
  });

  it("counts a relevant tool at any rank as shown", () => {
    const ids = Array.from({ length: 40 }, (_, rank) => `x${rank}`);
    expect(scoreAnswer([{ id: "a" }], [...ids, "a"])).toMatchObject({ shown: 1, "recall@10": 0 });
    expect(scoreAnswer([{ id: "a" }], ids)).toMatchObject({ shown: 0, empty: 0 });
  });

  it.each([
    ["good", ["a"], { shown: 1, empty: 0, refused: 0 }],
    ["unsure", ["a"], { shown: 1, empty: 0, refused: 0 }],
    ["none", ["a"], { shown: 1, empty: 0, refused: 1 }],
    [undefined, [], { shown: 0, empty: 1, refused: 1 }],
  ] as const)("distinguishes a refused query from an empty answer: the fit %s and the tools %j", (fit, ids, scores) => {
    expect(scoreAnswer([{ id: "a" }], ids, fit)).toMatchObject(scores);
  });
});

describe("averageScores", () => {
  it("returns the arithmetic mean", () => {
    const right = scoreAnswer([{ id: "a" }], ["a"]);
    const refused = scoreAnswer([{ id: "a" }], []);
    expect(averageScores([right, refused])).toMatchObject({
      "hit@1": 0.5,
      "recall@10": 0.5,
      mrr: 0.5,
      shown: 0.5,
      empty: 0.5,
      refused: 0.5,
    });
  });
});
