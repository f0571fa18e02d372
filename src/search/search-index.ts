// Builds a search index over index blocks and searches it by words and meaning. Independent of MCP, callers and
// storage.
import { type Block, type BlockParts, createBlockBuilder } from "./block.js";
import { type RankingConstants, RANKING } from "./constants.js";
import { explainMatch, type Match } from "./explain.js";
import type { SearchDocument } from "./fields.js";
import { type Fused, fuse } from "./fuse.js";
import { runSecondPass } from "./second-pass.js";
import { createLikenessIndex } from "./meaning/likeness.js";
import type { Meaning } from "./meaning/meaning.js";
import { createNearWords, type FindNearWords } from "./near-words.js";
import { countWord, invert, type Postings } from "./postings.js";
import { createDocumentPositions } from "./document-positions.js";
import { type Query, type QueryParts, readQuery } from "./query.js";
import { type Evidence, somethingFits, toRelevance, weighEvidence } from "./relevance.js";
import { rerank } from "./rerank.js";
import { createScorer } from "./score.js";
import { closestDocuments } from "./suggest.js";
import { toKey } from "./tokenize.js";
import { createVocabulary, type Vocabulary } from "./vocabulary.js";

export interface SearchIndex {
  readonly size: number;
  search(query: string, options: SearchQuery): SearchAnswer;
  /** Explains which words of the query occur in which fields of a document, and how they match. */
  explain(query: string, document: SearchDocument): Match[];
  /** Returns the features from which relevance is computed, best candidate first. Used to fit the relevance model. */
  weigh(query: string, accepts?: (id: string) => boolean): { id: string; evidence: Evidence }[];
}

export interface SearchQuery {
  readonly limit: number;
  /** The lowest relevance of a hit; other hits are omitted. */
  readonly minRelevance?: number;
  /** Whether the caller may see a document. Applied before `limit`. */
  readonly accepts?: (id: string) => boolean;
}

export interface SearchHit {
  readonly id: string;
  /** The probability, from 0 to 1, that this is what the user looked for. It can be compared between queries. */
  readonly relevance: number;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** The number of hits beyond `limit` whose relevance is not far below that of the best. */
  readonly more: number;
  /** If nothing fits the query: the ids of the closest documents, best first. */
  readonly closest: readonly string[];
}

/**
 * The number of candidates: the documents with the highest lexical scores, and those with the highest semantic
 * similarity.
 */
const BEST_BY_WORDS = 100;
const NEAREST_IN_MEANING = 50;
/**
 * The maximum number of candidates that can become hits. Further candidates are neither returned nor counted in `more`.
 */
const MAX_HITS = 60;
/**
 * A hit is omitted if its relevance is below this share of the best hit's relevance, unless it is among the first few.
 * With an embedding model, relevances are farther apart.
 */
const FAR_BELOW_BEST = { words: 0.06, meaning: 0.04 };
const FIRST_FEW = 3;
/** Like `FIRST_FEW`, for a query with several clauses, which may need a tool for each clause. */
const FIRST_FEW_OF_SEVERAL = 5;
/** If more tools than this have the name in the query, the name alone does not identify a tool. */
const MAX_NAMESAKES = 3;
/** Hits below this relevance are omitted even among the first few. */
const MIN_SHOWN_RELEVANCE = 0.01;
/** The highest relevance of a hit. Only a tool whose name or id is the query gets 1. */
const MAX_RELEVANCE = 0.99;

export interface IndexParts {
  readonly ranking?: RankingConstants;
  /** The embedding model. If it is missing, search matches words only. */
  readonly meaning?: Meaning | undefined;
}

/** Builds an index in one synchronous step. To update an index incrementally, use `createIndexer`. */
export function createSearchIndex(
  documents: readonly SearchDocument[],
  { ranking = RANKING, meaning }: IndexParts = {},
): SearchIndex {
  const vocabulary = createVocabulary();
  const build = createBlockBuilder({ vocabulary, ranking, meaning });
  return finish(buildIndex([finish(build(documents))], { vocabulary, ranking, meaning }));
}

function finish<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

export function* buildIndex(
  unsorted: readonly Block[],
  { vocabulary, ranking, meaning }: BlockParts,
): Generator<void, SearchIndex> {
  // Sort the blocks, so that hits with equal scores are ordered by id.
  const blocks = unsorted.toSorted((a, b) => ((a.ids[0] ?? "") < (b.ids[0] ?? "") ? -1 : 1));
  const postings = yield* invert(blocks, vocabulary);
  const { size } = postings;
  const positions = createDocumentPositions(blocks, size);
  const score = createScorer(postings, ranking);
  const meanings = meaning === undefined ? undefined : createLikenessIndex(blocks, size, meaning);
  const parts: Omit<QueryParts, "accepts"> = {
    vocabulary,
    postings,
    ranking,
    nearWords: nearWordsOf(vocabulary, postings),
  };

  const findCandidates = (text: string, query: Query, accepts: (document: number) => boolean): Fused[] => {
    const corrected = correct(text, query);
    const likeness = meanings?.compare(corrected, query.clauses);
    // Do not search for stop words: they occur nearly everywhere, which would be slow. They only help to order good
    // hits.
    const terms = query.terms.filter(({ role }) => role !== "small");
    const documents = new Set(score(terms, { max: BEST_BY_WORDS, accepts }).map(({ document }) => document));
    if (terms.length > 0) for (const near of likeness?.nearest(NEAREST_IN_MEANING, accepts) ?? []) documents.add(near);
    const candidates = rerank([...documents], query, { ...positions, ranking });
    const fused = fuse(candidates, { query, likeness, size, ranking, idOf: positions.idOf });
    const compare = meaning?.comparePieces(corrected);
    if (compare === undefined) return fused;
    return runSecondPass(fused, { ...positions, query, ranking, compare });
  };

  const weigh = (text: string, query: Query, accepts: (document: number) => boolean) => {
    const candidates = findCandidates(text, query, accepts).slice(0, MAX_HITS);
    const evidence = weighEvidence(candidates, { terms: query.terms, size });
    return candidates.flatMap(({ document }, index) => {
      const features = evidence[index];
      return features === undefined ? [] : [{ document, evidence: features }];
    });
  };

  return {
    size,
    weigh: (text, accepts = () => true) =>
      weigh(text, readQuery(text, { ...parts, accepts: acceptAll }), (document) =>
        accepts(positions.idOf(document)),
      ).map((one) => ({
        id: positions.idOf(one.document),
        evidence: one.evidence,
      })),
    explain: (query, document) =>
      explainMatch(readQuery(query, { ...parts, accepts: acceptAll }), document, { vocabulary, meaning, text: query }),
    search(text, { limit, minRelevance = 0, accepts = () => true }) {
      const acceptsNumber = (document: number): boolean => accepts(positions.idOf(document));
      const query = readQuery(text, { ...parts, accepts: acceptsNumber });
      const found = weigh(text, query, acceptsNumber);
      const hasMeaning = meanings !== undefined;
      const fits = somethingFits(
        found.map(({ evidence }) => evidence),
        hasMeaning,
      );
      const candidates = (fits ? found : [])
        .map(({ document, evidence }) => ({ document, relevance: toRelevance(evidence, hasMeaning) }))
        .filter(({ relevance }) => relevance >= minRelevance);
      const named = positions
        .named(toKey(text))
        .filter(acceptsNumber)
        .map((document) => ({ document, exactness: nameExactly(text.trim(), positions.idOf(document)) }));
      const limits = {
        few: query.clauses.length > 1 ? FIRST_FEW_OF_SEVERAL : FIRST_FEW,
        farBelow: FAR_BELOW_BEST[hasMeaning ? "meaning" : "words"],
      };
      const hits = toHits(named, candidates, limits).map(({ document, relevance }) => ({
        id: positions.idOf(document),
        relevance,
      }));
      const closest = hits.length > 0 ? [] : closestDocuments(found, hasMeaning).map(positions.idOf);
      return { hits: hits.slice(0, limit), more: Math.max(hits.length - limit, 0), closest };
    },
  };
}

/**
 * Replaces mistyped words with their corrections, because the model does not know mistyped words. A capitalized word is
 * probably a name and is not replaced.
 */
function correct(text: string, { corrections }: Query): string {
  if (corrections.size === 0) return text;
  return text.replace(/[\p{L}\p{N}]+/gu, (word) => corrections.get(word) ?? word);
}

/** A document whose name or id equals the query. */
interface Named {
  readonly document: number;
  /** 3: equal to the id or name; 2: equal except for case; 1: equal except for case and separators. */
  readonly exactness: number;
}

function nameExactly(text: string, id: string): number {
  const names = [id, id.slice(id.indexOf(":") + 1)];
  if (names.includes(text)) return 3;
  return names.some((name) => name.toLowerCase() === text.toLowerCase()) ? 2 : 1;
}

interface Weighed {
  readonly document: number;
  readonly relevance: number;
}

interface HitLimits {
  /** The number of first hits that are shown even if their relevance is far below that of the best. */
  readonly few: number;
  /** Further hits are omitted if their relevance is below this share of the best relevance. */
  readonly farBelow: number;
}

/**
 * Returns the documents found by name, sorted by exactness, followed by the candidates in their order. Relevance never
 * increases down the list, and hits far below the best are omitted.
 */
function toHits(named: readonly Named[], candidates: readonly Weighed[], { few, farBelow }: HitLimits): Weighed[] {
  const rank = new Map(candidates.map(({ document }, index) => [document, index]));
  const rankOf = (document: number): number => rank.get(document) ?? candidates.length;
  // A query that is the name of many tools identifies none of them.
  const nameRelevance = named.length <= MAX_NAMESAKES ? 1 : 1 / named.length;
  const hits = named
    .toSorted((a, b) => b.exactness - a.exactness || rankOf(a.document) - rankOf(b.document) || a.document - b.document)
    .map(({ document }): Weighed => ({ document, relevance: nameRelevance }));
  const isNamed = new Set(named.map(({ document }) => document));
  const best = hits[0]?.relevance ?? candidates[0]?.relevance ?? 0;
  let ceiling = Math.min(MAX_RELEVANCE, hits.length > 0 ? best : 1);
  for (const [index, { document, relevance }] of candidates.entries()) {
    ceiling = Math.min(ceiling, relevance);
    const isAmongFirst = index < few && hits.length < few && ceiling >= MIN_SHOWN_RELEVANCE;
    if (!isAmongFirst && ceiling < best * farBelow) break;
    if (!isNamed.has(document)) hits.push({ document, relevance: ceiling });
  }
  return hits;
}

const acceptAll = (): boolean => true;

/** Creates the look-up on the first mistyped word, because most catalogs never need it. */
function nearWordsOf(vocabulary: Vocabulary, postings: Postings): FindNearWords {
  let find: FindNearWords | undefined;
  return (word, errors) => {
    find ??= createNearWords(vocabulary.words.filter((_, number) => countWord(postings, number) > 0));
    return find(word, errors);
  };
}
