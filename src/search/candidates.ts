import { type ComparedPairs, comparePairs, generalUseFor } from "./pair.js";
import { type Fused, fuse } from "./fuse.js";
import type { RankingConstants } from "./constants.js";
import type { DocumentPositions } from "./document-positions.js";
import type { LikenessIndex } from "./meaning/likeness.js";
import type { Meaning } from "./meaning/meaning.js";
import type { FindProducts } from "./products.js";
import type { Query } from "./query.js";
import { withoutPayload } from "./request/payload.js";
import { interpretRequest, type RequestFacts } from "./request/request.js";
import { rerank } from "./rerank.js";
import type { Scorer } from "./score.js";
import { runSecondPass } from "./second-pass.js";
import type { Vocabulary } from "./vocabulary.js";

/**
 * The number of candidates: the documents with the highest lexical scores, and those with the highest semantic
 * similarity.
 */
const FOR_WHOLE: CandidateCounts = { byWords: 60, byMeaning: 40 };
/** A step needs fewer candidates, because only its best ones count. */
const FOR_STEP: CandidateCounts = { byWords: 30, byMeaning: 15 };
/** The maximum number of general-purpose tools that become candidates although nothing else speaks for them. */
const MAX_GENERAL = 5;
/** The maximum number of steps of a request that are searched separately. */
const MAX_STEPS = 4;
/** How many of the best candidates for a step gain. */
const BEST_OF_STEP = 3;
/** A candidate whose score is this much below the best one for a step gains less, by the factor e. */
const STEP_DECAY = 0.7;

interface CandidateCounts {
  readonly byWords: number;
  readonly byMeaning: number;
}

interface FinderParts {
  readonly vocabulary: Vocabulary;
  readonly ranking: RankingConstants;
  readonly positions: DocumentPositions;
  readonly score: Scorer;
  readonly likeness: LikenessIndex | undefined;
  readonly meaning: Meaning | undefined;
  readonly findProducts: FindProducts;
  readonly readQuery: (text: string, accepts: Accepts) => Query;
}

type Accepts = (document: number) => boolean;

export interface Asked {
  readonly text: string;
  readonly query: Query;
  readonly request: RequestFacts;
  readonly accepts: Accepts;
  /** What a document gains because the caller has used it before. */
  readonly gain?: ((document: number) => number) | undefined;
}

export interface FoundCandidates extends ComparedPairs {
  /** For a request with several steps: the candidates for each step. Empty if one tool is the best for all of them. */
  readonly steps: readonly StepCandidates[];
}

export interface StepCandidates {
  readonly query: Query;
  /** Sorted by score, then by id. */
  readonly list: readonly Fused[];
}

/** Returns the function that finds and ranks the candidates for a query. */
export function createCandidateFinder(parts: FinderParts): (asked: Asked) => FoundCandidates {
  const { vocabulary, ranking, positions, score, meaning, findProducts } = parts;
  const { size, idOf } = positions;

  const rank = ({ text, query, request, accepts, gain }: Asked, counts: CandidateCounts): ComparedPairs => {
    const corrected = withoutPayload(correct(text, query));
    const likeness = parts.likeness?.compare(corrected, query.clauses);
    // Do not search for stop words: they occur nearly everywhere, which would be slow. They only help to order good
    // hits.
    const terms = query.terms.filter(({ role }) => role !== "small");
    const documents = new Set(score(terms, { max: counts.byWords, accepts }).map(({ document }) => document));
    for (const near of likeness?.nearest(counts.byMeaning, accepts) ?? []) documents.add(near);
    const use = generalUseFor(request);
    const general = use === undefined ? [] : positions.withUse(use).filter(accepts);
    for (const document of general.slice(0, MAX_GENERAL)) documents.add(document);
    if (documents.size === 0) for (const any of firstAccepted(size, accepts)) documents.add(any);
    const candidates = rerank([...documents], query, { ...positions, ranking });
    const fused = fuse(candidates, { query, likeness, size, ranking, idOf });
    const compare = meaning?.comparePieces(corrected);
    const ranked = compare === undefined ? fused : runSecondPass(fused, { ...positions, query, ranking, compare });
    const products = findProducts(text, request.products);
    return comparePairs(ranked, { ...positions, request, ranking, vocabulary, products, gain });
  };

  return (asked) => {
    const { list, isKnownToFit } = rank(asked, FOR_WHOLE);
    const steps = asked.request.steps.slice(0, MAX_STEPS);
    if (steps.length < 2) return { list, isKnownToFit, steps: [] };
    const gains = new Map<number, number>();
    const found = steps.map((text): StepCandidates => {
      const query = parts.readQuery(text, asked.accepts);
      return { query, list: rank({ ...asked, text, request: interpretRequest(text), query }, FOR_STEP).list };
    });
    for (const { list: ofStep } of found) {
      const top = ofStep[0]?.score ?? 0;
      for (const { document, score: own } of ofStep.slice(0, BEST_OF_STEP)) {
        const gain = ranking.step * Math.exp((own - top) / STEP_DECAY);
        gains.set(document, Math.max(gains.get(document) ?? 0, gain));
      }
    }
    const raised = list
      .map((candidate) => ({ ...candidate, score: candidate.score + (gains.get(candidate.document) ?? 0) }))
      .sort((a, b) => b.score - a.score || (idOf(a.document) < idOf(b.document) ? -1 : 1));
    const best = new Set(found.map(({ list: ofStep }) => ofStep[0]?.document));
    return { list: raised, isKnownToFit, steps: best.size > 1 ? found : [] };
  };
}

const ANY = 3;

/** If nothing matches at all, some document is still better than none: the caller sees what the catalog is about. */
function firstAccepted(size: number, accepts: Accepts): number[] {
  const found: number[] = [];
  for (let document = 0; document < size && found.length < ANY; document += 1)
    if (accepts(document)) found.push(document);
  return found;
}

/**
 * Replaces mistyped words with their corrections, because the model does not know mistyped words. A capitalized word is
 * probably a name and is not replaced.
 */
function correct(text: string, { corrections }: Query): string {
  if (corrections.size === 0) return text;
  return text.replace(/[\p{L}\p{N}]+/gu, (word) => corrections.get(word) ?? word);
}
