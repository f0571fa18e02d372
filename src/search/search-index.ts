// Blocks of documents come in, an index goes out that finds them by words; what a tool is, who asks and where it runs is not known here.
import { type Block, createBlockBuilder } from "./block.js";
import { type RankingConstants, RANKING } from "./constants.js";
import { explainMatch, type Match } from "./explain.js";
import type { SearchDocument } from "./fields.js";
import { createNearWords, type FindNearWords } from "./near-words.js";
import { countWord, invert, type Postings } from "./postings.js";
import { type QueryParts, readQuery } from "./query.js";
import { toRelevance, weighEvidence } from "./relevance.js";
import { type DocumentWords, rerank } from "./rerank.js";
import { createScorer } from "./score.js";
import { suggest } from "./suggest.js";
import { toKey } from "./tokenize.js";
import { createVocabulary, type Vocabulary } from "./vocabulary.js";

export interface SearchIndex {
  readonly size: number;
  search(query: string, options: SearchQuery): SearchAnswer;
  /** Which words of the query stand where in a document, and by what right. */
  explain(query: string, document: SearchDocument): Match[];
}

export interface SearchQuery {
  readonly limit: number;
  /** A search whose best hit is less relevant finds nothing. */
  readonly minRelevance?: number;
  /** Which documents exist for this caller; asked before the answer is cut to `limit`. */
  readonly accepts?: (id: string) => boolean;
}

export interface SearchHit {
  readonly id: string;
  /** 0 to 1: the chance that this is what was asked for, so that it means the same in every answer. */
  readonly relevance: number;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** Hits not far below these that `limit` left out. */
  readonly more: number;
  /** The nearest words or servers of the catalog, when nothing fits. */
  readonly suggestions: readonly string[];
}

/** So many of the best by words are looked at closely. */
const LOOKED_AT = 100;
/** A hit this much worse than the best one is not worth its line. */
const FAR_BELOW_BEST = 0.55;
/** Only a tool's own name gets 1. */
const BEST_BY_WORDS = 0.99;

/** All at once; who keeps an index up to date has an indexer. */
export function createSearchIndex(
  documents: readonly SearchDocument[],
  ranking: RankingConstants = RANKING,
): SearchIndex {
  const vocabulary = createVocabulary();
  const build = createBlockBuilder(vocabulary, ranking);
  const steps = buildIndex([build(documents)], vocabulary, ranking);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

export function* buildIndex(
  blocks: readonly Block[],
  vocabulary: Vocabulary,
  ranking: RankingConstants,
): Generator<void, SearchIndex> {
  const postings = yield* invert(blocks, vocabulary);
  const place = createPlaces(blocks, postings.size);
  const score = createScorer(postings, ranking);
  const parts: QueryParts = { vocabulary, postings, ranking, nearWords: nearWordsOf(vocabulary, postings) };
  const find = { ...place, ranking };

  return {
    size: postings.size,
    explain: (query, document) => explainMatch(readQuery(query, parts), document, vocabulary),
    search(text, { limit, minRelevance = 0, accepts = () => true }) {
      const acceptsNumber = (document: number): boolean => accepts(place.idOf(document));
      const query = readQuery(text, parts);
      // Small words stand nearly everywhere: they tell good hits from each other, but finding them all would be slow.
      const content = query.terms.filter(({ role }) => role !== "small");
      const candidates = rerank(score(content, { most: LOOKED_AT, accepts: acceptsNumber }), query, find);
      const evidence = weighEvidence(candidates, { terms: query.terms, size: postings.size });
      const named = place.named(toKey(text)).filter(acceptsNumber);
      const hits = toHits({
        named,
        candidates: candidates.map(({ document, score: points }, index) => {
          const proof = evidence[index];
          return { document, score: points, relevance: proof === undefined ? 0 : toRelevance(proof) };
        }),
        minRelevance,
      }).map(({ document, relevance }) => ({ id: place.idOf(document), relevance }));
      const suggestions = hits.length > 0 ? [] : suggest(text, { ...parts, ...place, accepts: acceptsNumber });
      return { hits: hits.slice(0, limit), more: Math.max(hits.length - limit, 0), suggestions };
    },
  };
}

interface Weighed {
  readonly document: number;
  readonly score: number;
  readonly relevance: number;
}

/** Those named first, then by score; relevance never rises on the way down. */
function toHits({
  named,
  candidates,
  minRelevance,
}: {
  readonly named: readonly number[];
  readonly candidates: readonly Weighed[];
  readonly minRelevance: number;
}): { document: number; relevance: number }[] {
  const scores = new Map(candidates.map(({ document, score }) => [document, score]));
  const hits = named
    .toSorted((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0) || a - b)
    .map((document) => ({ document, relevance: 1 }));
  const [best] = candidates;
  if (best === undefined || (hits.length === 0 && best.relevance < minRelevance)) return hits;
  let ceiling = BEST_BY_WORDS;
  for (const { document, score, relevance } of candidates) {
    if (score < best.score * FAR_BELOW_BEST) break;
    ceiling = Math.min(ceiling, relevance);
    if (!named.includes(document)) hits.push({ document, relevance: ceiling });
  }
  return hits;
}

/** From a document's number to what its block knows of it. */
function createPlaces(blocks: readonly Block[], size: number) {
  const blockOf = new Uint32Array(size);
  const firsts = new Uint32Array(blocks.length);
  let first = 0;
  for (const [number, { ids }] of blocks.entries()) {
    firsts[number] = first;
    blockOf.fill(number, first, first + ids.length);
    first += ids.length;
  }
  const find = (document: number): { block: Block | undefined; at: number } => {
    const number = blockOf[document] ?? 0;
    return { block: blocks[number], at: document - (firsts[number] ?? 0) };
  };
  return {
    size,
    idOf(document: number): string {
      const { block, at } = find(document);
      return block?.ids[at] ?? "";
    },
    serverOf(document: number): string {
      const { block, at } = find(document);
      return block?.servers[at] ?? "";
    },
    isDeprecated(document: number): boolean {
      const { block, at } = find(document);
      return block?.deprecated[at] === 1;
    },
    wordsOf(document: number): DocumentWords {
      const { block, at } = find(document);
      const start = at === 0 ? 0 : block?.ends[at - 1];
      const end = block?.ends[at];
      return {
        words: block?.words.subarray(start, end) ?? new Uint32Array(),
        frequencies: block?.frequencies.subarray(start, end) ?? new Uint16Array(),
      };
    },
    named(key: string): number[] {
      const found: number[] = [];
      for (const [number, block] of blocks.entries()) {
        for (const at of block.named.get(key) ?? []) found.push(at + (firsts[number] ?? 0));
      }
      return found;
    },
  };
}

/** Made when a word is first mistyped: most catalogs never see one. */
function nearWordsOf(vocabulary: Vocabulary, postings: Postings): FindNearWords {
  let find: FindNearWords | undefined;
  return (word, errors) => {
    find ??= createNearWords(vocabulary.words.filter((_, number) => countWord(postings, number) > 0));
    return find(word, errors);
  };
}
