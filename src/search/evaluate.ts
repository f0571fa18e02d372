/** A question and the tools that answer it; a higher grade is a better answer, 1 where none is given. */
export interface EvalQuery {
  readonly query: string;
  readonly relevant: readonly { readonly id: string; readonly grade?: number }[];
}

export interface EvalReport {
  readonly queries: number;
  readonly "hit@1": number;
  readonly "recall@1": number;
  readonly "recall@3": number;
  readonly "recall@5": number;
  readonly "recall@10": number;
  readonly "ndcg@10": number;
  readonly mrr: number;
  /** Share of the queries that got no answer. */
  readonly refused: number;
  readonly tokens: { readonly median: number; readonly p95: number };
  readonly latencyMs: { readonly median: number; readonly p95: number; readonly max: number };
}

/** What one query was answered. */
export interface EvalOutcome {
  /** Ids found, best first. */
  readonly ids: readonly string[];
  /** How many tokens the answer takes. */
  readonly tokens: number;
  readonly latencyMs: number;
}

interface Judged extends EvalOutcome {
  readonly grades: ReadonlyMap<string, number>;
}

/** The measures of a run: the outcomes stand in the order of the queries. */
export function evaluateOutcomes(queries: readonly EvalQuery[], outcomes: readonly EvalOutcome[]): EvalReport {
  const judged = outcomes.map((outcome, index): Judged => {
    const relevant = queries[index]?.relevant ?? [];
    return { ...outcome, grades: new Map(relevant.map(({ id, grade = 1 }) => [id, grade])) };
  });
  const mean = (measure: (outcome: Judged) => number): number =>
    judged.reduce((sum, outcome) => sum + measure(outcome), 0) / Math.max(judged.length, 1);
  const tokens = outcomes.map((outcome) => outcome.tokens);
  const latencies = outcomes.map((outcome) => outcome.latencyMs);
  return {
    queries: judged.length,
    "hit@1": mean(({ ids, grades }) => (grades.has(ids[0] ?? "") ? 1 : 0)),
    "recall@1": mean((outcome) => recallAt(outcome, 1)),
    "recall@3": mean((outcome) => recallAt(outcome, 3)),
    "recall@5": mean((outcome) => recallAt(outcome, 5)),
    "recall@10": mean((outcome) => recallAt(outcome, 10)),
    "ndcg@10": mean(ndcgAt10),
    mrr: mean(reciprocalRank),
    refused: mean(({ ids }) => (ids.length === 0 ? 1 : 0)),
    tokens: { median: quantile(tokens, 0.5), p95: quantile(tokens, 0.95) },
    latencyMs: { median: quantile(latencies, 0.5), p95: quantile(latencies, 0.95), max: quantile(latencies, 1) },
  };
}

function recallAt({ ids, grades }: Judged, cut: number): number {
  if (grades.size === 0) return 0;
  return ids.slice(0, cut).filter((id) => grades.has(id)).length / grades.size;
}

function reciprocalRank({ ids, grades }: Judged): number {
  const first = ids.findIndex((id) => grades.has(id));
  return first === -1 ? 0 : 1 / (first + 1);
}

function ndcgAt10({ ids, grades }: Judged): number {
  const ideal = gain([...grades.values()].sort((a, b) => b - a));
  return ideal === 0 ? 0 : gain(ids.map((id) => grades.get(id) ?? 0)) / ideal;
}

/** Discounted cumulative gain of the first ten, exponential in the grade as is usual for graded labels. */
function gain(grades: readonly number[]): number {
  return grades.slice(0, 10).reduce((sum, grade, index) => sum + (2 ** grade - 1) / Math.log2(index + 2), 0);
}

/** The smallest value that at least this share of all values does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? 0;
}
