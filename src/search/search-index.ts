// Documents come in, an index goes out that finds them by words; what a tool is, who asks and where it runs is not known here.
import type { SearchDocument } from "./fields.js";
import { createNearWords } from "./near-words.js";
import { buildPostings } from "./postings.js";
import { readQuery } from "./query.js";
import { type Scores, createScorer } from "./score.js";
import { suggest } from "./suggest.js";
import { toKey } from "./tokenize.js";

export interface SearchIndex {
  readonly size: number;
  search(query: string, options: SearchQuery): SearchAnswer;
}

export interface SearchQuery {
  readonly limit: number;
  /** Less relevant hits are left out. */
  readonly minRelevance?: number;
  /** Which documents exist for this caller; asked before the answer is cut to `limit`. */
  readonly accepts?: (id: string) => boolean;
}

export interface SearchHit {
  readonly id: string;
  /** 0 to 1: how much of what the query says the document answers, so that it means the same in every answer. */
  readonly relevance: number;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** Hits as good as these that `limit` left out. */
  readonly more: number;
  /** The nearest words or servers of the catalog, when nothing fits. */
  readonly suggestions: readonly string[];
}

/** A hit this much worse than the best one is not worth its line. */
const FAR_BELOW_BEST = 0.55;

export function createSearchIndex(documents: readonly SearchDocument[]): SearchIndex {
  const channels = buildPostings(documents);
  const parts = { channels, nearWords: createNearWords(channels.words.terms.keys()), size: documents.length };
  const known = documents.map(({ id, server }) => ({ id, server }));
  const named = indexNames(documents);
  const score = createScorer(documents.length);

  return {
    size: documents.length,
    search(query, { limit, minRelevance = 0, accepts = () => true }) {
      const scores = score(readQuery(query, parts));
      for (const document of named.get(toKey(query)) ?? []) scores.set(document, 1);
      const ranked = rank(scores, { known, minRelevance, accepts });
      const suggestions = ranked.length > 0 ? [] : suggest(query, { ...parts, documents: known, accepts });
      return { hits: ranked.slice(0, limit), more: Math.max(ranked.length - limit, 0), suggestions };
    },
  };
}

/** Documents by the keys of their names and ids. */
function indexNames(documents: readonly SearchDocument[]): ReadonlyMap<string, readonly number[]> {
  const named = new Map<string, number[]>();
  for (const [number, { server, name }] of documents.entries()) {
    for (const key of new Set([toKey(name), toKey(`${server}:${name}`)])) {
      if (key === "") continue;
      const same = named.get(key);
      if (same === undefined) named.set(key, [number]);
      else same.push(number);
    }
  }
  return named;
}

interface RankParts {
  readonly known: readonly { readonly id: string }[];
  readonly minRelevance: number;
  readonly accepts: (id: string) => boolean;
}

function rank(scores: Scores, { known, minRelevance, accepts }: RankParts): SearchHit[] {
  const hits: SearchHit[] = [];
  let best = 0;
  for (const [document, relevance] of scores) {
    if (relevance < Math.max(minRelevance, best * FAR_BELOW_BEST)) continue;
    const id = known[document]?.id ?? "";
    if (!accepts(id)) continue;
    hits.push({ id, relevance });
    best = Math.max(best, relevance);
  }
  return hits
    .filter(({ relevance }) => relevance >= best * FAR_BELOW_BEST)
    .sort((a, b) => b.relevance - a.relevance || (a.id < b.id ? -1 : 1));
}
