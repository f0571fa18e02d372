// Measures the quality of the gateway's search on labelled queries.
import type { EvalQuery } from "../../search/evaluate.js";
import type { SearchOptions } from "../../search/options.js";
import type { EvalSet } from "./evaluation-files.js";
import { measure, type Ranker, type SearchReport } from "./measure.js";
import { createPace } from "./pace.js";
import { createStaticCatalog, type StaticCatalog } from "./static-catalog.js";

/** Options of `evaluateSearch`. */
export interface EvaluateOptions {
  /** Whether to rank tools with the embedding model as well as by matching terms. Default: true. */
  readonly semantic?: boolean;
  readonly signal?: AbortSignal;
  /** Called after each search with the number of finished searches and the total number. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Called with the reason if the embedding model cannot be used. */
  readonly warn?: (message: string) => void;
}

/** A query whose first hit is not a relevant tool. */
export interface SearchMiss {
  readonly query: string;
  /** Ids of the relevant tools. */
  readonly expected: readonly string[];
  /** Ids of the tools found, best first; at most three. */
  readonly found: readonly string[];
  /** Rank of the first relevant tool among the ten best, from 1. Undefined if none of them is relevant. */
  readonly rank: number | undefined;
}

/** The measured quality of search over labelled queries. */
export interface SearchEvaluation {
  readonly tools: number;
  readonly servers: number;
  readonly report: SearchReport;
  readonly misses: readonly SearchMiss[];
  /** Ids of relevant tools that the catalog does not have. */
  readonly unknown: readonly string[];
}

/**
 * Fixed search options, so that the user's configuration does not affect the result: recall@10 needs ten hits.
 * @internal
 */
export const MEASURED: Omit<SearchOptions, "semantic"> = {
  limit: 10,
  minRelevance: 0,
  usage: false,
  suggestions: false,
};

const SHOWN_HITS = 3;

/** Measures the search on the tools and queries of a set: right tool first, recall, nDCG@10, and the misses. */
export async function evaluateSearch(set: EvalSet, options: EvaluateOptions = {}): Promise<SearchEvaluation> {
  const { semantic = true, signal, onProgress, warn = () => undefined } = options;
  const catalog = createStaticCatalog(set.tools, { options: { ...MEASURED, semantic }, warn });
  const total = set.queries.length + (set.unanswerable?.length ?? 0);
  const pace = createPace(signal, (done) => onProgress?.(done, total));
  await pace.pause();
  const { report, answers } = await measure(await openRanker("search", catalog), set, pace);
  const { servers, tools } = catalog.snapshot;
  return {
    tools: tools.size,
    servers: servers.size,
    report,
    misses: set.queries.flatMap((query, index) => toMiss(query, answers[index]?.ids ?? [])),
    unknown: unknownTools(set.queries, catalog),
  };
}

/** Wraps the search of a catalog as a ranker. The search index is complete when the promise resolves. @internal */
export async function openRanker(name: string, catalog: StaticCatalog): Promise<Ranker> {
  await catalog.search("", new Set());
  return { name, search: (query, hidden) => catalog.search(query, hidden) };
}

/** Ids of relevant tools that the catalog does not have, so that no search can find them. @internal */
export function unknownTools(queries: readonly EvalQuery[], { snapshot }: StaticCatalog): string[] {
  const named = new Set(queries.flatMap(({ relevant }) => relevant.map(({ id }) => id)));
  return [...named].filter((id) => !snapshot.tools.has(id));
}

function toMiss({ query, relevant }: EvalQuery, ids: readonly string[]): SearchMiss[] {
  const expected = relevant.map(({ id }) => id);
  const rank = ids.findIndex((id) => expected.includes(id));
  if (rank === 0) return [];
  return [{ query, expected, found: ids.slice(0, SHOWN_HITS), rank: rank === -1 ? undefined : rank + 1 }];
}
