// Sets and the names of rankers come in; each ranker's measures, averages and comparisons go out, for people and programs alike.
import type { EvalQuery } from "../../../search/evaluate.js";
import type { SearchOptions } from "../../../search/options.js";
import { compare, type Comparison } from "./compare.js";
import type { EvalTool } from "./files.js";
import { addDistractors } from "./haystack.js";
import { averageReports, type MacroReport } from "./macro.js";
import { measure, type Measured } from "./measure.js";
import type { Pace } from "./pace.js";
import { createRanker, OURS, WORDS } from "./rankers.js";
import type { EvalSet } from "./sets.js";
import { createStaticCatalog } from "./static-catalog.js";

export interface BenchParts {
  readonly options: SearchOptions;
  readonly distractors: readonly EvalTool[];
  readonly baselines: readonly string[];
  readonly isRemoving: boolean;
  readonly pace: Pace;
  readonly onRanker: (name: string) => void;
  /** Hears why the model could not be used. */
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
    await pace.breathe();
    const byWords = { options: { ...options, semantic: false }, warn };
    const asked = await createRanker(ranker, ranker === WORDS ? createStaticCatalog(all, byWords) : catalog);
    measured.push(await measure(asked, { queries, unanswerable, isRemoving }, pace));
  }
  return {
    name,
    tools: tools.size,
    servers: servers.size,
    queries,
    unanswerable: unanswerable?.length ?? 0,
    unknown: [...new Set(queries.flatMap(({ relevant }) => relevant.map(({ id }) => id)))].filter(
      (id) => !tools.has(id),
    ),
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
