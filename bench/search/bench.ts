// Sets and the names of rankers come in; the scores of each ranker, averages and comparisons go out.
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

/** One ranker on one set. */
export interface Measured extends MeasuredRanker {
  readonly report: MacroReport;
}

export interface BenchParts {
  readonly options: SearchOptions;
  readonly distractors: readonly EvalTool[];
  readonly baselines: readonly string[];
  /** Ask every query once more without the tools that answer it. */
  readonly isRemoving: boolean;
  readonly pace: Pace;
  readonly onRanker: (name: string) => void;
  /** Gets the reason why the model could not be used. */
  readonly warn: (message: string) => void;
}

export interface SetResult {
  readonly name: string;
  /** How many there are, with the distractors. */
  readonly tools: number;
  readonly servers: number;
  readonly queries: readonly EvalQuery[];
  readonly unanswerable: number;
  /** Relevant tools that are not in the catalog. */
  readonly unknown: readonly string[];
  /** Ours first. */
  readonly measured: readonly Measured[];
  /** With the baseline that is best here. */
  readonly comparison: Comparison | undefined;
  /** With the baseline `words`, where it is measured. */
  readonly wordsComparison: Comparison | undefined;
}

/** One catalog, one index per ranker, one ranker after the other. */
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
    const asked = await createRanker(ranker, ranker === WORDS ? createStaticCatalog(all, byWords) : catalog);
    const one = await measure(asked, set, pace);
    if (!isRemoving) measured.push(one);
    else {
      const removed = queries.map(({ query, relevant }) => ({ query, hidden: new Set(relevant.map(({ id }) => id)) }));
      const abstainedRemoved = await shareUnanswered(asked, removed, pace);
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

/** Every set weighs the same. */
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

interface Standing {
  readonly ranker: string;
  readonly report: { readonly "ndcg@10": number };
}

type Answered = Pick<SetResult, "queries" | "measured">;

/** The best baseline is that with the highest nDCG@10. */
function compareWithBest(sets: readonly Answered[], [, ...baselines]: readonly Standing[]): Comparison | undefined {
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
