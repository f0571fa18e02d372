// Blocks of documents come in, an index goes out that finds them by words and meaning; what a tool is, who asks and where it runs is not known here.
import { type Block, type BlockParts, createBlockBuilder } from "./block.js";
import { type RankingConstants, RANKING } from "./constants.js";
import { explainMatch, type Match } from "./explain.js";
import type { SearchDocument } from "./fields.js";
import { type Fused, fuse } from "./fuse.js";
import { lookClosely } from "./look-closely.js";
import { createLikenessIndex } from "./meaning/likeness.js";
import type { Meaning } from "./meaning/meaning.js";
import { createNearWords, type FindNearWords } from "./near-words.js";
import { countWord, invert, type Postings } from "./postings.js";
import { createPlaces } from "./places.js";
import { type Query, type QueryParts, readQuery } from "./query.js";
import { type Evidence, somethingFits, toRelevance, weighEvidence } from "./relevance.js";
import { rerank } from "./rerank.js";
import { createScorer } from "./score.js";
import { suggest } from "./suggest.js";
import { toKey } from "./tokenize.js";
import { createVocabulary, type Vocabulary } from "./vocabulary.js";

export interface SearchIndex {
  readonly size: number;
  search(query: string, options: SearchQuery): SearchAnswer;
  /** Which words of the query stand where in a document, and by what right. */
  explain(query: string, document: SearchDocument): Match[];
  /** The evidence that relevance is told from, best candidate first; for those who fit it. */
  weigh(query: string, accepts?: (id: string) => boolean): { id: string; evidence: Evidence }[];
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
  /** 0 to 1: the chance that this is what was asked for, so that it means the same in every answer. */
  readonly relevance: number;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** Hits not far below these that `limit` left out, of those that were looked at closely. */
  readonly more: number;
  /** The nearest words or servers of the catalog, when nothing fits. */
  readonly suggestions: readonly string[];
}

/** So many of the best by words, and so many of the nearest in meaning, are looked at closely. */
const BEST_BY_WORDS = 100;
const NEAREST_IN_MEANING = 50;
/** What comes after them is counted by nobody. */
const MOST_HITS = 60;
/** A hit this much less relevant than the best one is not worth its line, unless it is among the first few. With meaning, relevances lie farther apart. */
const FAR_BELOW_BEST = { words: 0.06, meaning: 0.04 };
const FIRST_FEW = 3;
/** A request with several parts may need a tool for each. */
const FIRST_FEW_OF_SEVERAL = 5;
/** More tools with the same name than this are told apart by the rest of what they say, not by the name. */
const MOST_NAMESAKES = 3;
/** What is hardly ever right is not shown even then. */
const LEAST_RELEVANT = 0.01;
/** Only a tool's own name gets 1. */
const MOST_RELEVANT = 0.99;

export interface IndexParts {
  readonly ranking?: RankingConstants;
  /** Without it, words alone tell. */
  readonly meaning?: Meaning | undefined;
}

/** All at once; who keeps an index up to date has an indexer. */
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
  given: readonly Block[],
  { vocabulary, ranking, meaning }: BlockParts,
): Generator<void, SearchIndex> {
  // Equals are told in the order of their ids.
  const blocks = given.toSorted((a, b) => ((a.ids[0] ?? "") < (b.ids[0] ?? "") ? -1 : 1));
  const postings = yield* invert(blocks, vocabulary);
  const { size } = postings;
  const places = createPlaces(blocks, size);
  const score = createScorer(postings, ranking);
  const meanings = meaning === undefined ? undefined : createLikenessIndex(blocks, size, meaning);
  const parts: Omit<QueryParts, "accepts"> = {
    vocabulary,
    postings,
    ranking,
    nearWords: nearWordsOf(vocabulary, postings),
  };

  const findCandidates = (text: string, query: Query, accepts: (document: number) => boolean): Fused[] => {
    const meant = correct(text, query);
    const likeness = meanings?.compare(meant, query.clauses);
    // Small words stand nearly everywhere: they tell good hits from each other, but finding them all would be slow.
    const terms = query.terms.filter(({ role }) => role !== "small");
    const documents = new Set(score(terms, { most: BEST_BY_WORDS, accepts }).map(({ document }) => document));
    if (terms.length > 0) for (const near of likeness?.nearest(NEAREST_IN_MEANING, accepts) ?? []) documents.add(near);
    const candidates = rerank([...documents], query, { ...places, ranking });
    const fused = fuse(candidates, { query, likeness, size, ranking, idOf: places.idOf });
    const compare = meaning?.compareClosely(meant);
    if (compare === undefined) return fused;
    return lookClosely(fused, { ...places, query, ranking, compare });
  };

  const weigh = (text: string, query: Query, accepts: (document: number) => boolean) => {
    const candidates = findCandidates(text, query, accepts).slice(0, MOST_HITS);
    const evidence = weighEvidence(candidates, { terms: query.terms, size });
    return candidates.flatMap(({ document }, index) => {
      const proof = evidence[index];
      return proof === undefined ? [] : [{ document, evidence: proof }];
    });
  };

  return {
    size,
    weigh: (text, accepts = () => true) =>
      weigh(text, readQuery(text, { ...parts, accepts: everyone }), (document) => accepts(places.idOf(document))).map(
        (one) => ({
          id: places.idOf(one.document),
          evidence: one.evidence,
        }),
      ),
    explain: (query, document) =>
      explainMatch(readQuery(query, { ...parts, accepts: everyone }), document, { vocabulary, meaning, text: query }),
    search(text, { limit, minRelevance = 0, accepts = () => true }) {
      const acceptsNumber = (document: number): boolean => accepts(places.idOf(document));
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
      const named = places
        .named(toKey(text))
        .filter(acceptsNumber)
        .map((document) => ({ document, exactness: nameExactly(text.trim(), places.idOf(document)) }));
      const cut = {
        few: query.clauses.length > 1 ? FIRST_FEW_OF_SEVERAL : FIRST_FEW,
        farBelow: FAR_BELOW_BEST[hasMeaning ? "meaning" : "words"],
      };
      const hits = toHits(named, candidates, cut).map(({ document, relevance }) => ({
        id: places.idOf(document),
        relevance,
      }));
      const suggestions = hits.length > 0 ? [] : suggest(text, { ...parts, ...places, accepts: acceptsNumber });
      return { hits: hits.slice(0, limit), more: Math.max(hits.length - limit, 0), suggestions };
    },
  };
}

/** The query with the words that it was taken to mean: a mistyped word has no meaning of its own. What is written with a capital is rather a name. */
function correct(text: string, { corrections }: Query): string {
  if (corrections.size === 0) return text;
  return text.replace(/[\p{L}\p{N}]+/gu, (word) => corrections.get(word) ?? word);
}

/** A document that the query names. */
interface Named {
  readonly document: number;
  /** 3: by its very id or name; 2: but for capitals; 1: but for separators too. */
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

interface Cut {
  /** So many are shown as long as they may be right at all. */
  readonly few: number;
  /** From this share of the best one's relevance down, the rest is not. */
  readonly farBelow: number;
}

/** Those named first, the more literally the earlier, then the candidates in their order; relevance never rises on the way down, and what is far below the best is left out. */
function toHits(named: readonly Named[], candidates: readonly Weighed[], { few, farBelow }: Cut): Weighed[] {
  const rank = new Map(candidates.map(({ document }, index) => [document, index]));
  const rankOf = (document: number): number => rank.get(document) ?? candidates.length;
  // One word that names many tools names none of them.
  const surely = named.length <= MOST_NAMESAKES ? 1 : 1 / named.length;
  const hits = named
    .toSorted((a, b) => b.exactness - a.exactness || rankOf(a.document) - rankOf(b.document) || a.document - b.document)
    .map(({ document }): Weighed => ({ document, relevance: surely }));
  const isNamed = new Set(named.map(({ document }) => document));
  const best = hits[0]?.relevance ?? candidates[0]?.relevance ?? 0;
  let ceiling = Math.min(MOST_RELEVANT, hits.length > 0 ? best : 1);
  for (const [index, { document, relevance }] of candidates.entries()) {
    ceiling = Math.min(ceiling, relevance);
    const isAmongFirst = index < few && hits.length < few && ceiling >= LEAST_RELEVANT;
    if (!isAmongFirst && ceiling < best * farBelow) break;
    if (!isNamed.has(document)) hits.push({ document, relevance: ceiling });
  }
  return hits;
}

const everyone = (): boolean => true;

/** Made when a word is first mistyped: most catalogs never see one. */
function nearWordsOf(vocabulary: Vocabulary, postings: Postings): FindNearWords {
  let find: FindNearWords | undefined;
  return (word, errors) => {
    find ??= createNearWords(vocabulary.words.filter((_, number) => countWord(postings, number) > 0));
    return find(word, errors);
  };
}
