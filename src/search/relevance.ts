import { contentOf, createCoverage } from "./coverage.js";
import type { Fused } from "./fuse.js";
import type { Term } from "./query.js";
import { toRarity } from "./query.js";

/** The features from which the relevance of a hit is computed. None of them depends on the absolute size of scores. */
export interface Evidence {
  /** The share of the query's content words that the hit matches, including synonyms. */
  readonly covered: number;
  /** Like `covered`, but without synonyms: only the words themselves and their other forms. */
  readonly literal: number;
  /**
   * The contribution of the query's words to the score, divided by the highest possible contribution of its
   * `MAX_REQUESTED_WORDS` strongest words.
   */
  readonly strength: number;
  /** The contribution of the query's words to the score, in units of the highest possible word weight. */
  readonly amount: number;
  /** 1 for the best hit, otherwise 0. */
  readonly first: number;
  /** For the best hit, how far its score is above the second; 0 for other hits. */
  readonly lead: number;
  /** How far the score is below that of the best hit, as a negative number; 0 for the best hit. */
  readonly distance: number;
  /** The logarithm of the number of content words in the query (plus one). */
  readonly length: number;
  /** Semantic similarity to the nearest clause of the query; 0 if no embedding model is used. */
  readonly likeness: number;
}

/**
 * How many words of a query a tool is expected to match. A long question has more words than any tool can match, so
 * only its strongest words count.
 */
const MAX_REQUESTED_WORDS = 6;
/** The maximum of `lead`, because a larger lead says no more. With an embedding model, scores are farther apart. */
const MAX_LEAD = { words: 1, meaning: 2 };

export function weighEvidence(
  candidates: readonly Fused[],
  { terms, size }: { readonly terms: readonly Term[]; readonly size: number },
): Evidence[] {
  const content = contentOf(terms);
  const weights = content.map((term) => terms[term]?.weight ?? 0);
  const cover = createCoverage({ terms });
  const requested = sum(weights.toSorted((a, b) => b - a).slice(0, MAX_REQUESTED_WORDS)) || 1;
  const rarest = toRarity(0, size);
  return candidates.map(({ contributions, literal, likeness, score }, index) => {
    const { covered, answered } = cover(contributions);
    const isFirst = index === 0;
    const rival = candidates[isFirst ? 1 : 0]?.score ?? 0;
    return {
      covered,
      literal,
      strength: answered / requested,
      amount: answered / rarest,
      first: isFirst ? 1 : 0,
      lead: isFirst ? Math.min(score - rival, MAX_LEAD[likeness === undefined ? "words" : "meaning"]) : 0,
      distance: isFirst ? 0 : score - rival,
      length: Math.log(1 + content.length),
      likeness: likeness?.part ?? 0,
    };
  });
}

/** The weights of the features in the logistic regression. */
export type RelevanceModel = Readonly<Record<keyof Evidence | "constant", number>>;

/**
 * The weights if no embedding model is used. Fitted by `npm run fit`; `docs/explanation/search.md` describes the data
 * and the quality.
 */
const BY_WORDS: RelevanceModel = {
  constant: -4.449,
  covered: 2.112,
  literal: -0.695,
  strength: -0.034,
  amount: 2.138,
  first: 1.502,
  lead: 1.276,
  distance: 1.097,
  length: -0.044,
  likeness: 0,
};
const BY_WORDS_AND_MEANING: RelevanceModel = {
  constant: -4.057,
  covered: 0.884,
  literal: -1.612,
  strength: 0.303,
  amount: 1.115,
  first: 0.74,
  lead: 0.813,
  distance: 0.581,
  length: -0.354,
  likeness: 4.341,
};

const KINDS = [
  "covered",
  "literal",
  "strength",
  "amount",
  "first",
  "lead",
  "distance",
  "length",
  "likeness",
] as const satisfies readonly (keyof Evidence)[];

/** The probability, from 0 to 1, that the hit is what the user looked for. */
export function toRelevance(evidence: Evidence, hasMeaning: boolean): number {
  const { constant, ...weights } = hasMeaning ? BY_WORDS_AND_MEANING : BY_WORDS;
  let odds = constant;
  for (const name of KINDS) odds += weights[name] * evidence[name];
  return 1 / (1 + Math.exp(-odds));
}

/**
 * The logistic regression that decides whether any tool fits the query. It is separate from relevance, because each
 * tool's relevance is low if several similar tools fit. Also fitted by `npm run fit`.
 */
const FITTING_BY_WORDS = { constant: -2.97, strength: 18.29, likeness: 0, length: 0, threshold: 0.24 };
const FITTING_BY_WORDS_AND_MEANING = {
  constant: -7.97,
  strength: 2.3,
  likeness: 22.43,
  length: -1.22,
  threshold: 0.4,
};

/** A hit with at least this share of the query's words fits, regardless of its semantic similarity. */
const ENOUGH_COVERED = 0.5;
const ENOUGH_LITERAL = 0.6;

/** Whether any hit can be what the user looked for. If not, search returns no hits. */
export function somethingFits(evidence: readonly Evidence[], hasMeaning: boolean): boolean {
  const best = evidence[0];
  if (best === undefined) return false;
  const { threshold, ...weights } = hasMeaning ? FITTING_BY_WORDS_AND_MEANING : FITTING_BY_WORDS;
  if (evidence.some(({ covered, literal }) => covered >= ENOUGH_COVERED || literal >= ENOUGH_LITERAL)) return true;
  const nearest = Math.max(...evidence.map(({ likeness }) => likeness));
  const odds =
    weights.constant + weights.strength * best.strength + weights.likeness * nearest + weights.length * best.length;
  return 1 / (1 + Math.exp(-odds)) >= threshold;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
