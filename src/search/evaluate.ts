import type { Fit } from "./relevance.js";

/** A benchmark query and the tools that answer it. A higher grade is a better answer; the default is 1. */
export interface EvalQuery {
  readonly query: string;
  readonly relevant: readonly { readonly id: string; readonly grade?: number }[];
}

/** The search result for one benchmark query. */
export interface EvalOutcome {
  /** The ids of the tools that were found, best first. */
  readonly ids: readonly string[];
  /** How well the tools fit the query, as the search states it. */
  readonly fit?: Fit;
  /** The number of tokens of the search result. */
  readonly tokens: number;
  readonly latencyMs: number;
}

/** The quality of the search result for one query, or the mean over many queries. */
export interface EvalScores {
  readonly "hit@1": number;
  readonly "recall@1": number;
  readonly "recall@3": number;
  readonly "recall@5": number;
  readonly "recall@10": number;
  readonly "ndcg@10": number;
  readonly mrr: number;
  /** 1 if a relevant tool is anywhere in the answer, otherwise 0. */
  readonly shown: number;
  /** 1 for an answer without any tool, otherwise 0. The mean is the share of such queries. */
  readonly empty: number;
  /** 1 for a query that no tool fits according to the search, otherwise 0. */
  readonly refused: number;
}

/** Mean scores over all queries, with the tokens and the latency of the search results. */
export interface EvalReport extends EvalScores {
  readonly queries: number;
  readonly tokens: { readonly median: number; readonly p95: number };
  readonly latencyMs: { readonly median: number; readonly p95: number; readonly max: number };
}

/** Computes all measures of a benchmark run. The outcomes are in the order of the queries. */
export function evaluateOutcomes(queries: readonly EvalQuery[], outcomes: readonly EvalOutcome[]): EvalReport {
  const scores = outcomes.map(({ ids, fit }, index) => scoreAnswer(queries[index]?.relevant ?? [], ids, fit));
  const tokens = outcomes.map((outcome) => outcome.tokens);
  const latencies = outcomes.map((outcome) => outcome.latencyMs);
  return {
    queries: scores.length,
    ...averageScores(scores),
    tokens: { median: quantile(tokens, 0.5), p95: quantile(tokens, 0.95) },
    latencyMs: { median: quantile(latencies, 0.5), p95: quantile(latencies, 0.95), max: quantile(latencies, 1) },
  };
}

/** Scores one search result. Every relevant tool counts equally, regardless of its grade, except in `ndcg@10`. */
export function scoreAnswer(relevant: EvalQuery["relevant"], ids: readonly string[], fit?: Fit): EvalScores {
  const grades = new Map(relevant.map(({ id, grade = 1 }) => [id, grade]));
  const recallAt = (count: number): number =>
    ids.slice(0, count).filter((id) => grades.has(id)).length / Math.max(grades.size, 1);
  const first = ids.findIndex((id) => grades.has(id));
  return {
    "hit@1": first === 0 ? 1 : 0,
    "recall@1": recallAt(1),
    "recall@3": recallAt(3),
    "recall@5": recallAt(5),
    "recall@10": recallAt(10),
    "ndcg@10": ndcgAt10(ids, grades),
    mrr: first === -1 ? 0 : 1 / (first + 1),
    shown: first === -1 ? 0 : 1,
    empty: ids.length === 0 ? 1 : 0,
    refused: fit === "none" || ids.length === 0 ? 1 : 0,
  };
}

/** The arithmetic mean of each measure, over the queries of a set or over several sets. */
export function averageScores(all: readonly EvalScores[]): EvalScores {
  const mean = (key: keyof EvalScores): number =>
    all.reduce((sum, scores) => sum + scores[key], 0) / Math.max(all.length, 1);
  return {
    "hit@1": mean("hit@1"),
    "recall@1": mean("recall@1"),
    "recall@3": mean("recall@3"),
    "recall@5": mean("recall@5"),
    "recall@10": mean("recall@10"),
    "ndcg@10": mean("ndcg@10"),
    mrr: mean("mrr"),
    shown: mean("shown"),
    empty: mean("empty"),
    refused: mean("refused"),
  };
}

function ndcgAt10(ids: readonly string[], grades: ReadonlyMap<string, number>): number {
  const ideal = gain([...grades.values()].sort((a, b) => b - a));
  return ideal === 0 ? 0 : gain(ids.map((id) => grades.get(id) ?? 0)) / ideal;
}

/** Discounted cumulative gain of the first ten results, exponential in the grade, as is usual for graded labels. */
function gain(grades: readonly number[]): number {
  return grades.slice(0, 10).reduce((sum, grade, index) => sum + (2 ** grade - 1) / Math.log2(index + 2), 0);
}

/** The smallest value that is greater than or equal to this share of all values (nearest-rank method). */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? 0;
}
