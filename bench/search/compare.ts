import { type EvalQuery, scoreAnswer } from "../../src/search/evaluate.js";
import { bootstrap, type Differences, type Interval } from "./bootstrap.js";
import type { QueryOutcome } from "../../src/operations/evaluation/measure.js";

export const COMPARED = ["hit@1", "recall@5", "ndcg@10"] as const;

/** Our ranker compared with one baseline. */
export interface Comparison {
  readonly baseline: string;
  readonly measures: Readonly<Record<(typeof COMPARED)[number], Interval & { readonly isBelow: boolean }>>;
}

/** The answers of two rankers to the same queries of one set. */
export interface Pairs {
  readonly queries: readonly EvalQuery[];
  readonly ours: readonly QueryOutcome[];
  readonly theirs: readonly QueryOutcome[];
}

/** Differences below this come from the order of additions. */
const NOISE = 1e-9;

/** `isBelow`: ours is significantly worse, because the whole interval is below zero. */
export function compare(baseline: string, sets: readonly Pairs[]): Comparison {
  const intervals = bootstrap(sets.map(differencesOf), COMPARED.length);
  const [hit, recall, ndcg] = intervals.map((interval) => ({ ...interval, isBelow: interval.high < -NOISE }));
  const none = { difference: 0, low: 0, high: 0, isBelow: false };
  return {
    baseline,
    measures: { "hit@1": hit ?? none, "recall@5": recall ?? none, "ndcg@10": ndcg ?? none },
  };
}

function differencesOf({ queries, ours, theirs }: Pairs): Differences[] {
  return queries.map(({ relevant }, index) => {
    const mine = scoreAnswer(relevant, ours[index]?.ids ?? []);
    const other = scoreAnswer(relevant, theirs[index]?.ids ?? []);
    return COMPARED.map((measure) => mine[measure] - other[measure]);
  });
}
