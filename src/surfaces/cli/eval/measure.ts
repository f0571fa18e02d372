// A ranker and a set's queries come in; what it answered and how good that is goes out.
import { estimateTokenCount } from "tokenx";
import { toSearchAnswer } from "../../../metatools/discovery-profile.js";
import { type EvalOutcome, type EvalQuery, type EvalReport, evaluateOutcomes } from "../../../search/evaluate.js";
import type { Pace } from "./pace.js";
import type { Ranker } from "./rankers.js";

export interface Questions {
  readonly queries: readonly EvalQuery[];
  readonly unanswerable: readonly string[] | undefined;
  /** Ask every query once more without the tools that answer it. */
  readonly isRemoving: boolean;
}

export interface Answer extends EvalOutcome {
  /** The relevance that is stated for each of the ids. */
  readonly stated: readonly number[];
}

export interface Abstention {
  /** Share of the unanswerable queries that got no answer. */
  readonly abstained?: number;
  /** The same for the queries whose tools were taken out. */
  readonly abstainedRemoved?: number;
}

export interface Measured {
  readonly ranker: string;
  readonly report: EvalReport & Abstention;
  /** In the order of the queries. */
  readonly answers: readonly Answer[];
}

const NOTHING: ReadonlySet<string> = new Set();

export async function measure(ranker: Ranker, questions: Questions, pace: Pace): Promise<Measured> {
  const { queries, unanswerable, isRemoving } = questions;
  const answers: Answer[] = [];
  for (const { query } of queries) {
    answers.push(await ask(ranker, query));
    await pace.step();
  }
  const refusedOf = async (asked: readonly { query: string; hidden: ReadonlySet<string> }[]): Promise<number> => {
    let refused = 0;
    for (const { query, hidden } of asked) {
      const { hits } = await ranker.search(query, hidden);
      if (hits.length === 0) refused += 1;
      await pace.step();
    }
    return refused / asked.length;
  };
  const removed = queries.map(({ query, relevant }) => ({ query, hidden: new Set(relevant.map(({ id }) => id)) }));
  const foreign = (unanswerable ?? []).map((query) => ({ query, hidden: NOTHING }));
  const report = {
    ...evaluateOutcomes(queries, answers),
    ...(foreign.length > 0 ? { abstained: await refusedOf(foreign) } : {}),
    ...(isRemoving ? { abstainedRemoved: await refusedOf(removed) } : {}),
  };
  return { ranker: ranker.name, report, answers };
}

/** How many searches that takes. */
export function stepsOf({ queries, unanswerable, isRemoving }: Questions): number {
  return queries.length * (isRemoving ? 2 : 1) + (unanswerable?.length ?? 0);
}

async function ask(ranker: Ranker, query: string): Promise<Answer> {
  const started = performance.now();
  const found = await ranker.search(query, NOTHING);
  const latencyMs = performance.now() - started;
  const answer = toSearchAnswer(found);
  return {
    ids: found.hits.map(({ tool }) => tool.id),
    stated: answer.results.map(({ relevance }) => relevance),
    tokens: estimateTokenCount(JSON.stringify(answer)),
    latencyMs,
  };
}
