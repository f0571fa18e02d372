// Documents come in, an index goes out that finds them by words; what a tool is, who asks and where it runs is not known here.
import { findDeprecation } from "./deprecation.js";
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
/** Only a tool's own name gets 1. */
const BEST_BY_WORDS = 0.99;
/** Enough to put a deprecated tool behind its equals, too little to hide it from who asks for it. */
const DEPRECATED_SHARE = 0.95;

export function createSearchIndex(documents: readonly SearchDocument[]): SearchIndex {
  const channels = buildPostings(documents);
  const parts = { channels, nearWords: createNearWords(channels.words.terms.keys()), size: documents.length };
  const known = documents.map(({ id, server }) => ({ id, server }));
  const named = indexNames(documents);
  const score = createScorer(documents.length);
  const deprecated = [...documents.keys()].filter((number) => findDeprecation(documents[number]?.description ?? ""));

  return {
    size: documents.length,
    search(query, { limit, minRelevance = 0, accepts = () => true }) {
      const scores = score(readQuery(query, parts));
      for (const document of deprecated) {
        const full = scores.get(document);
        if (full !== undefined) scores.set(document, full * DEPRECATED_SHARE);
      }
      const ranked = rank(scores, { known, named: named.get(toKey(query)) ?? [], minRelevance, accepts });
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
  /** The documents that the query names. */
  readonly named: readonly number[];
  readonly minRelevance: number;
  readonly accepts: (id: string) => boolean;
}

/** Scores above what is reported still tell the better of two hits. */
function rank(scores: Scores, { known, named, minRelevance, accepts }: RankParts): SearchHit[] {
  const hits: (SearchHit & { readonly score: number })[] = [];
  let best = 0;
  const add = (document: number, relevance: number): void => {
    if (relevance < Math.max(minRelevance, best * FAR_BELOW_BEST)) return;
    const id = known[document]?.id ?? "";
    if (!accepts(id)) return;
    hits.push({ id, relevance, score: scores.get(document) ?? 0 });
    best = Math.max(best, relevance);
  };
  for (const document of named) add(document, 1);
  for (const [document, score] of scores) {
    if (!named.includes(document)) add(document, Math.min(score, BEST_BY_WORDS));
  }
  return hits
    .filter(({ relevance }) => relevance >= best * FAR_BELOW_BEST)
    .sort((a, b) => b.relevance - a.relevance || b.score - a.score || (a.id < b.id ? -1 : 1))
    .map(({ id, relevance }) => ({ id, relevance }));
}
