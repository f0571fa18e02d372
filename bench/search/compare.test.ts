import { describe, expect, it } from "vitest";
import { compare } from "./compare.js";

const queries = Array.from({ length: 30 }, (_, number) => ({ query: `q${number}`, relevant: [{ id: "right" }] }));
const answering = (...ids: string[]) => queries.map(() => ({ ids, stated: [], tokens: 0, latencyMs: 0 }));

describe("compare", () => {
  it("marks a measure that is significantly worse", () => {
    const pairs = { queries, ours: answering("wrong", "right"), theirs: answering("right") };
    const { baseline, measures } = compare("bm25", [pairs]);
    expect(baseline).toBe("bm25");
    expect(measures["hit@1"]).toEqual({ difference: -1, low: -1, high: -1, isBelow: true });
    expect(measures["recall@5"]).toEqual({ difference: 0, low: 0, high: 0, isBelow: false });
    expect(measures["ndcg@10"]).toMatchObject({ isBelow: true });
  });

  it("does not mark an interval that ends at zero", () => {
    const third = [{ query: "q", relevant: [{ id: "a" }, { id: "b" }, { id: "c" }] }];
    const answers = [{ ids: ["a"], stated: [], tokens: 0, latencyMs: 0 }];
    const { measures } = compare("bm25", [{ queries: third, ours: answers, theirs: answers }]);
    expect(Object.values(measures).map(({ isBelow }) => isBelow)).toEqual([false, false, false]);
  });

  it("does not mark a difference that is not significant", () => {
    const mixed = answering("right").map((answer, index) => (index % 2 === 0 ? answer : { ...answer, ids: [] }));
    const pairs = { queries, ours: mixed, theirs: mixed.toReversed() };
    expect(compare("bm25", [pairs]).measures["hit@1"]).toMatchObject({ difference: 0, isBelow: false });
  });
});
