import { describe, expect, it } from "vitest";
import { RANKING } from "./constants.js";
import type { Fused } from "./fuse.js";
import { runSecondPass } from "./second-pass.js";
import type { Closeness } from "./meaning/closeness.js";
import type { Query } from "./query.js";

const NOTHING: Closeness = { answered: 0, name: 0, server: 0 };

/** A query of `count` words, each of weight 1. */
function queryOf(words: number): Query {
  const terms = Array.from({ length: words }, (_, at) => ({
    word: `w${at}`,
    weight: 1,
    role: "content" as const,
    clauses: 1,
    readings: [],
  }));
  return { terms, clauses: [], corrections: new Map() };
}

/** A candidate with this score that answers the first word with this quality. */
function candidate(document: number, score: number, { whole = 0.5, answers = 0 } = {}): Fused {
  return { document, score, contributions: [answers], direct: [], literal: 0, likeness: { whole, part: whole } };
}

function order(
  candidates: readonly Fused[],
  query: Query,
  closeness: Readonly<Record<number, Partial<Closeness>>> = {},
  deprecated: readonly number[] = [],
) {
  const reranked = runSecondPass(candidates, {
    query,
    ranking: RANKING,
    piecesOf: (document) => Uint16Array.of(document),
    isDeprecated: (document) => deprecated.includes(document),
    compare: ([document = 0]) => ({ ...NOTHING, ...closeness[document] }),
    idOf: (document) => String(document).padStart(3, "0"),
  });
  return reranked.map(({ document }) => document);
}

const two = [candidate(1, 2), candidate(2, 1.9)];

describe("runSecondPass", () => {
  it.each([
    ["a tool that answers the query piece by piece", { answered: 0.2 }],
    ["a tool that the query names", { name: 0.4 }],
    ["a tool of the server that the query names", { server: 0.4 }],
  ])("moves %s ahead of candidates that are hardly better", (_, closeness) => {
    expect(order(two, queryOf(2))).toEqual([1, 2]);
    expect(order(two, queryOf(2), { 2: closeness })).toEqual([2, 1]);
  });

  it("moves candidates up that are nearer as a whole or answer more words, if the others are hardly better", () => {
    expect(order([candidate(1, 2), candidate(2, 1.9, { whole: 0.6 })], queryOf(2))).toEqual([2, 1]);
    expect(order([candidate(1, 2), candidate(2, 1.9, { answers: 0.3 })], queryOf(2))).toEqual([2, 1]);
  });

  it("adds nothing for pieces if words answer the whole query already", () => {
    const answered = [candidate(1, 2, { answers: 0.5 }), candidate(2, 1.9, { answers: 0.5 })];
    expect(order(answered, queryOf(1), { 2: { answered: 1 } })).toEqual([1, 2]);
  });

  it("reduces what it adds to a deprecated tool, like the rest of its score", () => {
    expect(order(two, queryOf(2), {}, [1])).toEqual([1, 2]);
    expect(order(two, queryOf(2), { 1: { answered: 0.6 }, 2: { answered: 0.6 } }, [1])).toEqual([2, 1]);
  });

  it("does not change the order of a long query", () => {
    expect(order(two, queryOf(20), { 2: { answered: 1, name: 1, server: 1 } })).toEqual([1, 2]);
  });

  it("reranks the best twenty and keeps the others behind them in their order", () => {
    const many = Array.from({ length: 25 }, (_, at) => candidate(at, 10 - at / 1_000));
    const closeness = Object.fromEntries(many.map(({ document }) => [document, { answered: document / 100 }]));
    const reranked = order(many, queryOf(2), closeness);
    expect(reranked.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, at) => 19 - at));
    expect(reranked.slice(20)).toEqual([20, 21, 22, 23, 24]);
  });

  it("orders equal scores by id, and returns nothing for no candidates", () => {
    expect(order([candidate(7, 1), candidate(3, 1)], queryOf(2))).toEqual([3, 7]);
    expect(order([], queryOf(2))).toEqual([]);
  });
});
