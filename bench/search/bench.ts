// Measures rankers on labelled sets: scores, averages and comparisons.
import type { EvalQuery } from "../../src/search/evaluate.js";
import type { SearchOptions } from "../../src/search/options.js";
import { compare, type Comparison } from "./compare.js";
import type { EvalSet, EvalTool } from "../../src/operations/evaluation/evaluation-files.js";
import { addDistractors } from "./haystack.js";
import { averageReports, type MacroReport } from "./macro.js";
import { type MeasuredRanker, measure, shareUnanswered } from "../../src/operations/evaluation/measure.js";
import { unknownTools } from "../../src/operations/evaluation/evaluate-search.js";
import type { Pace } from "../../src/operations/evaluation/pace.js";
import { createRanker, OURS, WORDS } from "./rankers.js";
import { createStaticCatalog } from "../../src/operations/evaluation/static-catalog.js";

/** The result of one ranker on one set. */
export interface Measured extends MeasuredRanker {
  readonly report: MacroReport;
}

export interface BenchParts {
  readonly options: SearchOptions;
  readonly distractors: readonly EvalTool[];
  readonly baselines: readonly string[];
  /** Also run every query with its relevant tools hidden. */
  readonly isRemoving: boolean;
  readonly pace: Pace;
  readonly onRanker: (name: string) => void;
  /** Called with the reason if the model cannot be used. */
  readonly warn: (message: string) => void;
}

export interface SetResult {
  readonly name: string;
  /** The number of tools, including distractors. */
  readonly tools: number;
  readonly servers: number;
  readonly queries: readonly EvalQuery[];
  readonly unanswerable: number;
  /** Relevant tools that are not in the catalog. */
  readonly unknown: readonly string[];
  /** Our ranker is first. */
  readonly measured: readonly Measured[];
  /** With the best baseline of this set. */
  readonly comparison: Comparison | undefined;
  /** With the baseline `words`, if it is measured. */
  readonly wordsComparison: Comparison | undefined;
}

/** Runs the rankers one after the other on one catalog. */
export async function benchSet(set: EvalSet, parts: BenchParts): Promise<SetResult> {
  const { options, distractors, baselines, pace, onRanker, isRemoving, warn } = parts;
  const { name, queries, unanswerable } = set;
  const all = addDistractors(set.tools, distractors);
  const catalog = createStaticCatalog(all, { options, warn });
  const { servers, tools } = catalog.snapshot;
  const measured: Measured[] = [];
  for (const ranker of [OURS, ...baselines]) {
    onRanker(ranker);
    await pace.pause();
    const byWords = { options: { ...options, semantic: false }, warn };
    const created = await createRanker(ranker, ranker === WORDS ? createStaticCatalog(all, byWords) : catalog);
    const one = await measure(created, set, pace);
    if (!isRemoving) measured.push(one);
    else {
      const removed = queries.map(({ query, relevant }) => ({ query, hidden: new Set(relevant.map(({ id }) => id)) }));
      const abstainedRemoved = await shareUnanswered(created, removed, pace);
      measured.push({ ...one, report: { ...one.report, abstainedRemoved } });
    }
  }
  return {
    name,
    tools: tools.size,
    servers: servers.size,
    queries,
    unanswerable: unanswerable?.length ?? 0,
    unknown: unknownTools(queries, catalog),
    measured,
    comparison: compareWithBest([{ queries, measured }], measured),
    wordsComparison: compareWithWords([{ queries, measured }]),
  };
}

export interface MacroResult {
  readonly rankers: readonly MacroRanker[];
  readonly comparison: Comparison | undefined;
  readonly wordsComparison: Comparison | undefined;
}

export interface MacroRanker {
  readonly ranker: string;
  readonly report: MacroReport;
}

/** All sets have the same weight. */
export function averageSets(results: readonly SetResult[]): MacroResult {
  const rankers = (results[0]?.measured ?? []).map(({ ranker }, index) => ({
    ranker,
    report: averageReports(results.flatMap(({ measured }) => measured[index]?.report ?? [])),
  }));
  return {
    rankers,
    comparison: compareWithBest(results, rankers),
    wordsComparison: compareWithWords(results),
  };
}

interface RankerScore {
  readonly ranker: string;
  readonly report: { readonly "ndcg@10": number };
}

type Answered = Pick<SetResult, "queries" | "measured">;

/** The best baseline is the one with the highest nDCG@10. */
function compareWithBest(sets: readonly Answered[], [, ...baselines]: readonly RankerScore[]): Comparison | undefined {
  const [best] = baselines.toSorted((a, b) => b.report["ndcg@10"] - a.report["ndcg@10"]);
  return best === undefined ? undefined : compareWith(best.ranker, sets);
}

function compareWithWords(sets: readonly Answered[]): Comparison | undefined {
  const isMeasured = sets.some(({ measured }) => measured.some(({ ranker }) => ranker === WORDS));
  return isMeasured ? compareWith(WORDS, sets) : undefined;
}

function compareWith(baseline: string, sets: readonly Answered[]): Comparison {
  const answersOf = (measured: readonly Measured[], name: string) =>
    measured.find(({ ranker }) => ranker === name)?.answers ?? [];
  return compare(
    baseline,
    sets.map(({ queries, measured }) => ({
      queries,
      ours: answersOf(measured, OURS),
      theirs: answersOf(measured, baseline),
    })),
  );
}
