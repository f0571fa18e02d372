import { describe, expect, it } from "vitest";
import { evaluateOutcomes } from "../../src/search/evaluate.js";
import { averageReports } from "./macro.js";

const good = evaluateOutcomes([{ query: "q", relevant: [{ id: "a" }] }], [{ ids: ["a"], tokens: 10, latencyMs: 1 }]);
const bad = evaluateOutcomes(
  [
    { query: "q", relevant: [{ id: "a" }] },
    { query: "r", relevant: [{ id: "a" }] },
  ],
  [
    { ids: [], tokens: 20, latencyMs: 3 },
    { ids: [], tokens: 20, latencyMs: 3 },
  ],
);

describe("averageReports", () => {
  it("gives all sets the same weight, and averages abstention over the sets that have it", () => {
    expect(averageReports([good, { ...bad, abstained: 0.8, abstainedRemoved: 0.5 }])).toMatchObject({
      queries: 3,
      "hit@1": 0.5,
      "ndcg@10": 0.5,
      refused: 0.5,
      tokens: { median: 15, p95: 15 },
      latencyMs: { median: 2, max: 2 },
      abstained: 0.8,
      abstainedRemoved: 0.5,
    });
    expect(averageReports([good])).toEqual(good);
  });
});
