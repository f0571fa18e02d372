// Builds a search index over index blocks and searches it by words and meaning. Independent of MCP, callers and
// storage.
import { type Block, type BlockParts, createBlockBuilder } from "./block.js";
import { createCandidateFinder } from "./candidates.js";
import { type RankingConstants, RANKING } from "./constants.js";
import { createDocumentPositions } from "./document-positions.js";
import { explainMatch, type Match } from "./explain.js";
import type { SearchDocument } from "./fields.js";
import type { Fused } from "./fuse.js";
import { nameExactly, toHits, type Weighed } from "./hits.js";
import { createLikenessIndex } from "./meaning/likeness.js";
import type { Meaning } from "./meaning/meaning.js";
import { createNearWords, type FindNearWords } from "./near-words.js";
import { countWord, invert, type Postings } from "./postings.js";
import { createProductFinder } from "./products.js";
import { type Query, type QueryParts, readQuery } from "./query.js";
import { type Evidence, type Fit, judgeFit, toRelevance, weighEvidence } from "./relevance.js";
import { interpretRequest, type RequestFacts } from "./request/request.js";
import { createScorer } from "./score.js";
import { toKey } from "./tokenize.js";
import { createVocabulary, type Vocabulary } from "./vocabulary.js";

export interface SearchIndex {
  readonly size: number;
  search(query: string, options: SearchQuery): SearchAnswer;
  /** Explains which words of the query occur in which fields of a document, and how they match. */
  explain(query: string, document: SearchDocument): Match[];
  /** Returns the features from which relevance is computed, best candidate first. Used to fit the relevance model. */
  weigh(query: string, accepts?: (id: string) => boolean): WeighedAnswer;
}

export interface WeighedAnswer {
  readonly candidates: readonly { readonly id: string; readonly evidence: Evidence }[];
  /** Whether a tool fits for a reason that the evidence does not contain. */
  readonly isKnownToFit: boolean;
}

export interface SearchQuery {
  /** The maximum number of hits. */
  readonly limit: number;
  /** The lowest relevance of a hit; other hits are omitted. */
  readonly minRelevance?: number;
  /** Whether the caller may see a document. Applied before `limit`. */
  readonly accepts?: (id: string) => boolean;
  /** Whether the caller has chosen a server: then the fit is never `none`. */
  readonly isNarrowed?: boolean;
  /** How often the caller has used a document in this session, from 0 (never) to 1. */
  readonly usage?: ((id: string) => number) | undefined;
}

export interface SearchHit {
  readonly id: string;
  /** The probability, from 0 to 1, that this is what the user looked for. It can be compared between queries. */
  readonly relevance: number;
  /** If the query names several steps: the number of the step, from 1, for which this is the best document. */
  readonly step?: number;
}

export interface SearchAnswer {
  readonly fit: Fit;
  /** Best first. Empty only if the caller may see no document, or if `minRelevance` excludes all. */
  readonly hits: readonly SearchHit[];
  /** Further documents that may still be right, best first. */
  readonly also: readonly SearchHit[];
  /** Known products that the query names and that no document contains, as the query spells them. */
  readonly missing: readonly string[];
}

/** The maximum number of candidates that can become hits. */
const MAX_HITS = 60;
/** Hits below this relevance are only listed in `also`, except the first. The limit for the second hit is lower. */
const MIN_HIT_RELEVANCE = 0.2;
const MIN_SECOND = 0.02;
/** A hit is shown in full if it has at least this share of the first hit's relevance. */
const NEARLY_AS_LIKELY = 0.5;
/** How many documents `also` lists: the less likely the first hit is, the more of them. */
const MIN_ALSO = 3;
const MORE_IF_UNSURE = 28;
/** `also` has at most this many times as many documents as the caller wants hits. */
const ALSO_PER_HIT = 3;
/** If no tool fits: the maximum number of hits. */
const MAX_CLOSEST = 3;
/** The factor for the relevance of the closest tools if none fits. */
const NOT_FITTING = 0.3;
/** The factor for the relevance of all hits if the query names a product that the catalog does not have. */
const MISSING_PRODUCT = 0.6;

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
  const parts: Omit<QueryParts, "accepts"> = {
    vocabulary,
    postings,
    ranking,
    nearWords: nearWordsOf(vocabulary, postings),
  };
  const hasMeaning = meaning !== undefined;
  const findCandidates = createCandidateFinder({
    vocabulary,
    ranking,
    positions,
    meaning,
    score: createScorer(postings, ranking),
    likeness: meaning === undefined ? undefined : createLikenessIndex(blocks, size, meaning),
    findProducts: createProductFinder({ blocks, vocabulary, postings }),
    readQuery: (text, accepts) => readQuery(text, { ...parts, accepts }),
  });

  const weigh = (text: string, accepts: (document: number) => boolean, usage?: SearchQuery["usage"]) => {
    const query = readQuery(text, { ...parts, accepts });
    const request = interpretRequest(text);
    const gain =
      usage === undefined ? undefined : (document: number) => ranking.usage * usage(positions.idOf(document));
    const { list, ...found } = findCandidates({ text, query, request, accepts, gain });
    const candidates = list.slice(0, MAX_HITS);
    return { ...found, request, candidates, evidence: weighEvidence(candidates, query.terms) };
  };

  const bestOfStep = (list: readonly Fused[], query: Query): [number | undefined, number] => {
    const [best] = weighEvidence(list, query.terms);
    return [list[0]?.document, best === undefined ? 0 : toRelevance(best, hasMeaning)];
  };

  /** Whether a document that the caller may see contains all words of the name. */
  const isPresent = (name: string, accepts: (document: number) => boolean): boolean => {
    const words = name.split(" ").map((word) => vocabulary.findWord(word));
    const [rarest] = words
      .flatMap((word) => word ?? [])
      .toSorted((a, b) => countWord(postings, a) - countWord(postings, b));
    if (rarest === undefined || words.includes(undefined)) return false;
    return documentsWith(postings, rarest).some((document) => {
      const own = positions.wordsOf(document).words;
      return words.every((word) => word !== undefined && own.includes(word)) && accepts(document);
    });
  };
  const findMissing = (text: string, { products }: RequestFacts, accepts: (document: number) => boolean): string[] =>
    products.filter((name) => !isPresent(name, accepts)).map((name) => asWritten(name, text));

  return {
    size,
    weigh(text, accepts = () => true) {
      const { candidates, evidence, isKnownToFit } = weigh(text, (document) => accepts(positions.idOf(document)));
      const found = candidates.flatMap(({ document }, index) => {
        const features = evidence[index];
        return features === undefined ? [] : [{ id: positions.idOf(document), evidence: features }];
      });
      return { candidates: found, isKnownToFit };
    },
    explain: (query, document) =>
      explainMatch(readQuery(query, { ...parts, accepts: acceptAll }), document, { vocabulary, meaning, text: query }),
    search(text, { limit, minRelevance = 0, accepts = () => true, isNarrowed = false, usage }) {
      const acceptsNumber = (document: number): boolean => accepts(positions.idOf(document));
      const { request, steps, isKnownToFit, candidates, evidence } = weigh(text, acceptsNumber, usage);
      const missing = findMissing(text, request, acceptsNumber);
      const factor = missing.length > 0 ? MISSING_PRODUCT : 1;
      const ofSteps = new Map(steps.map(({ query, list }) => bestOfStep(list.slice(0, MAX_HITS), query)));
      const weighed = candidates
        .map(({ document }, index): Weighed => {
          const features = evidence[index];
          const own = features === undefined ? 0 : toRelevance(features, hasMeaning);
          return { document, relevance: factor * Math.max(own, ofSteps.get(document) ?? 0) };
        })
        // Only steps change the order: without them, relevance has the order of the scores.
        .sort((a, b) => (steps.length === 0 ? 0 : b.relevance - a.relevance));
      const stepOf = new Map<number, number>();
      for (const [index, { list }] of steps.entries()) {
        const best = list[0]?.document;
        if (best !== undefined && !stepOf.has(best)) stepOf.set(best, index + 1);
      }
      const named = positions
        .named(toKey(text))
        .filter(acceptsNumber)
        .map((document) => ({ document, exactness: nameExactly(text.trim(), positions.idOf(document)) }));
      const all = toHits(named, weighed).filter(({ relevance }) => relevance >= minRelevance);
      const judged = judgeFit(evidence, { hasMeaning, isKnownToFit, isNarrowed, missing });
      if (all.length === 0 || (named.length === 0 && judged === "none")) {
        const closest = all.slice(0, Math.min(MAX_CLOSEST, limit));
        const hits = closest.map((hit) => ({
          id: positions.idOf(hit.document),
          relevance: NOT_FITTING * hit.relevance,
        }));
        return { fit: "none", missing, hits, also: [] };
      }
      const shown = all
        .slice(0, limit)
        .filter((hit, rank, best) => isLikely(hit, rank, best) || stepOf.has(hit.document));
      const rest = all.filter((hit) => !shown.includes(hit)).slice(0, countAlso(all[0], limit));
      const toHit = ({ document, relevance }: Weighed): SearchHit => {
        const step = stepOf.get(document);
        return { id: positions.idOf(document), relevance, ...(step === undefined ? {} : { step }) };
      };
      const fit = named.length > 0 ? "good" : judged;
      return { fit, missing, hits: shown.map(toHit), also: rest.map(toHit) };
    },
  };
}

/** Whether a hit is shown in full: it is the first, or likely, or nearly as likely as the first. */
function isLikely({ relevance }: Weighed, rank: number, hits: readonly Weighed[]): boolean {
  const least = Math.min(rank === 1 ? MIN_SECOND : MIN_HIT_RELEVANCE, NEARLY_AS_LIKELY * (hits[0]?.relevance ?? 0));
  return rank === 0 || relevance >= least;
}

function countAlso(first: Weighed | undefined, limit: number): number {
  const wanted = MIN_ALSO + MORE_IF_UNSURE * (1 - (first?.relevance ?? 0));
  return Math.min(Math.round(wanted), ALSO_PER_HIT * limit);
}

function documentsWith({ starts, documents }: Postings, word: number): Uint32Array {
  return documents.subarray(starts[word] ?? 0, starts[word + 1] ?? 0);
}

/** The name of a product as the query spells it. */
function asWritten(name: string, text: string): string {
  return new RegExp(name.replaceAll(" ", "[^\\p{L}\\p{N}]+"), "iu").exec(text)?.[0] ?? name;
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
