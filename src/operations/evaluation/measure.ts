import { estimateTokenCount } from "tokenx";
import { toSearchAnswer } from "../../metatools/search-answer.js";
import { describeDiscoveryStep } from "../../metatools/next-steps.js";
import type { FoundTools } from "../../metatools/found-tools.js";
import { type EvalOutcome, type EvalReport, evaluateOutcomes } from "../../search/evaluate.js";
import type { EvalSet } from "./evaluation-files.js";
import type { Pace } from "./pace.js";

/** A search over the tools of one catalog. @internal */
export interface Ranker {
  readonly name: string;
  /** `hidden`: ids of tools that the search must ignore. */
  search(query: string, hidden: ReadonlySet<string>): Promise<FoundTools>;
}

/** @internal */
export interface QueryOutcome extends EvalOutcome {
  /** The relevance that the search reports for each tool in `ids`. */
  readonly stated: readonly number[];
}

/** The scores of a set. `abstained`: the share of its unanswerable queries with the fit `none`. */
export type SearchReport = EvalReport & { readonly abstained?: number };

/** @internal */
export interface MeasuredRanker {
  readonly ranker: string;
  readonly report: SearchReport;
  /** One outcome for each query, in the order of the queries. */
  readonly answers: readonly QueryOutcome[];
}

const NOTHING: ReadonlySet<string> = new Set();

/** @internal */
export async function measure(
  ranker: Ranker,
  { queries, unanswerable = [] }: Pick<EvalSet, "queries" | "unanswerable">,
  pace: Pace,
): Promise<MeasuredRanker> {
  const answers: QueryOutcome[] = [];
  for (const { query } of queries) {
    answers.push(await ask(ranker, query));
    await pace.step();
  }
  const foreign = unanswerable.map((query) => ({ query, hidden: NOTHING }));
  const report = {
    ...evaluateOutcomes(queries, answers),
    ...(foreign.length > 0 ? { abstained: await shareUnanswered(ranker, foreign, pace) } : {}),
  };
  return { ranker: ranker.name, report, answers };
}

/** The share of the queries that no tool fits if the search ignores the hidden tools. @internal */
export async function shareUnanswered(
  ranker: Ranker,
  asked: readonly { readonly query: string; readonly hidden: ReadonlySet<string> }[],
  pace: Pace,
): Promise<number> {
  let unanswered = 0;
  for (const { query, hidden } of asked) {
    const { fit } = await ranker.search(query, hidden);
    if (fit === "none") unanswered += 1;
    await pace.step();
  }
  return unanswered / asked.length;
}

async function ask(ranker: Ranker, query: string): Promise<QueryOutcome> {
  const started = performance.now();
  const found = await ranker.search(query, NOTHING);
  const latencyMs = performance.now() - started;
  const answer = toSearchAnswer(found, describeDiscoveryStep);
  return {
    ids: [...found.hits, ...found.also].map(({ tool }) => tool.id),
    stated: found.hits.map(({ relevance }) => relevance),
    fit: found.fit,
    tokens: estimateTokenCount(JSON.stringify(answer)),
    latencyMs,
  };
}
