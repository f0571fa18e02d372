import { describe, expect, it } from "vitest";
import { evaluateSearch } from "./evaluate.js";

const answers: Record<string, { ids: string[]; tokens: number }> = {
  first: { ids: ["a", "x"], tokens: 10 },
  third: { ids: ["x", "y", "b"], tokens: 20 },
  half: { ids: ["x", "c", "y", "z"], tokens: 30 },
  none: { ids: [], tokens: 5 },
};

function evaluate(): ReturnType<typeof evaluateSearch> {
  const times = [0, 1, 10, 12, 20, 23, 30, 40];
  return evaluateSearch({
    queries: [
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
    ],
    search: (query) => answers[query]!,
    now: () => times.shift()!,
  });
}

describe("evaluateSearch", () => {
  it("reports exactly the agreed keys", () => {
    expect(Object.keys(evaluate())).toEqual(
      "queries hit@1 recall@1 recall@3 recall@5 recall@10 ndcg@10 mrr refused tokens latencyMs".split(" "),
    );
  });

  it("computes the measures", () => {
    const log3 = Math.log2(3);
    expect(evaluate()).toEqual({
      queries: 4,
      "hit@1": 0.25,
      "recall@1": 0.25,
      "recall@3": 2.5 / 4,
      "recall@5": 2.5 / 4,
      "recall@10": 2.5 / 4,
      "ndcg@10": (1 + 1 / 2 + 1 / log3 / (3 + 1 / log3)) / 4,
      mrr: (1 + 1 / 3 + 1 / 2) / 4,
      refused: 0.25,
      tokens: { median: 10, p95: 30 },
      latencyMs: { median: 2, p95: 10, max: 10 },
    });
  });

  it("counts nothing for queries without labels", () => {
    const report = evaluateSearch({
      queries: [{ query: "q", relevant: [] }],
      search: () => ({ ids: ["a"], tokens: 1 }),
      now: () => 0,
    });
    expect(report).toMatchObject({ queries: 1, "recall@5": 0, "ndcg@10": 0, mrr: 0, refused: 0 });
  });

  it("survives an empty set", () => {
    const report = evaluateSearch({ queries: [], search: () => ({ ids: [], tokens: 0 }), now: () => 0 });
    expect(report).toMatchObject({ queries: 0, "hit@1": 0, latencyMs: { median: 0, p95: 0, max: 0 } });
  });
});
