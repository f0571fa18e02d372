import { contentOf, createCoverage } from "./coverage.js";
import type { Fused } from "./fuse.js";
import type { Term } from "./query.js";

/** The features from which the relevance of a hit is computed. */
export interface Evidence {
  /** The share of the query's content words that the hit matches, including synonyms. */
  readonly covered: number;
  /** Semantic similarity to the nearest clause of the query; 0 if no embedding model is used. */
  readonly likeness: number;
  /**
   * The logarithm of the hit's share among all candidates. Each candidate counts with the exponential function of its
   * score, so that many near duplicates, which large catalogs have, lower the share of each.
   */
  readonly share: number;
  /**
   * The contribution of the query's words to the score, divided by the highest possible contribution of its
   * `MAX_REQUESTED_WORDS` strongest words. Used to rank the servers of the directory.
   */
  readonly strength: number;
}

/**
 * How many words of a query a tool is expected to match. A long question has more words than any tool can match, so
 * only its strongest words count.
 */
const MAX_REQUESTED_WORDS = 6;

/** The difference in score by which a candidate counts less, by the factor e. */
const SCORE_SCALE = { words: 0.6, meaning: 1.2 };

export function weighEvidence(candidates: readonly Fused[], terms: readonly Term[]): Evidence[] {
  const cover = createCoverage({ terms });
  const weights = contentOf(terms).map((term) => terms[term]?.weight ?? 0);
  const strongest = weights.toSorted((a, b) => b - a).slice(0, MAX_REQUESTED_WORDS);
  const requested = strongest.reduce((sum, weight) => sum + weight, 0) || 1;
  const best = candidates[0]?.score ?? 0;
  const scale = SCORE_SCALE[candidates[0]?.likeness === undefined ? "words" : "meaning"];
  const counts = candidates.map(({ score }) => Math.exp((score - best) / scale));
  // One more candidate with the score 0: a single weak match must not count as certain.
  const total = counts.reduce((sum, count) => sum + count, Math.exp(-best / scale));
  return candidates.map(({ contributions, likeness }, index) => {
    const { covered, answered } = cover(contributions);
    return {
      covered,
      likeness: likeness?.part ?? 0,
      share: Math.log(Math.max((counts[index] ?? 0) / total, MIN_SHARE)),
      strength: answered / requested,
    };
  });
}

const MIN_SHARE = 1e-9;

/** The weights of the features in a logistic regression. */
export type RelevanceModel = Readonly<Record<"constant" | "covered" | "likeness" | "share", number>>;

/** Fitted by `npm run fit`; `docs/explanation/search.md` describes the data and the quality. */
const BY_WORDS: RelevanceModel = { constant: 1.546, covered: 2.904, likeness: 0, share: 1.607 };
const BY_WORDS_AND_MEANING: RelevanceModel = { constant: 1.096, covered: 0, likeness: 1.896, share: 1.595 };

/** Without the model, the relevance of a hit exceeds the share of the words that it matches by at most this. */
const MAX_BEYOND_COVERED = 0.2;

/** The probability, from 0 to 1, that the hit is what the user looked for. */
export function toRelevance({ covered, likeness, share }: Evidence, hasMeaning: boolean): number {
  const model = hasMeaning ? BY_WORDS_AND_MEANING : BY_WORDS;
  const chance = toProbability(
    model.constant + model.covered * covered + model.likeness * likeness + model.share * share,
  );
  return hasMeaning ? chance : Math.min(chance, covered + MAX_BEYOND_COVERED);
}

/**
 * How well the best hits fit the query. `good`: the first hit is probably the right one. `unsure`: the right tool is
 * probably among the hits. `none`: no tool fits, and the hits are only the closest ones.
 */
export type Fit = "good" | "unsure" | "none";

/**
 * The logistic regression for the probability that any tool fits the query. It is separate from relevance, because each
 * tool's relevance is low if several similar tools fit. Also fitted by `npm run fit`.
 */
export interface FitModel {
  readonly constant: number;
  readonly covered: number;
  readonly likeness: number;
  /** Below this probability, no tool fits. */
  readonly threshold: number;
}

const FIT_BY_WORDS: FitModel = { constant: -2.105, covered: 9.564, likeness: 0, threshold: 0.24 };
const FIT_BY_WORDS_AND_MEANING: FitModel = { constant: -10.136, covered: 3.26, likeness: 20.31, threshold: 0.275 };

/** The lowest relevance of the first hit with which a fit is good. */
const MIN_GOOD = 0.5;

export interface FitParts {
  readonly hasMeaning: boolean;
  /** Whether a tool fits for a reason that the evidence does not contain: a named product or a general-purpose tool. */
  readonly isKnownToFit: boolean;
  /** Whether the caller has chosen a server: then the fit is never `none`. */
  readonly isNarrowed: boolean;
  /** Products that the query names and the catalog does not have. */
  readonly missing: readonly string[];
}

export function judgeFit(evidence: readonly Evidence[], parts: FitParts): Fit {
  const { hasMeaning, isKnownToFit, isNarrowed, missing } = parts;
  const [best] = evidence;
  if (best === undefined) return "none";
  const fits = isKnownToFit || mayFit(evidence, hasMeaning);
  if (!fits) return isNarrowed ? "unsure" : "none";
  return missing.length === 0 && toRelevance(best, hasMeaning) >= MIN_GOOD ? "good" : "unsure";
}

function mayFit(evidence: readonly Evidence[], hasMeaning: boolean): boolean {
  const { constant, covered, likeness, threshold } = hasMeaning ? FIT_BY_WORDS_AND_MEANING : FIT_BY_WORDS;
  const most = (feature: "covered" | "likeness"): number => Math.max(...evidence.map((one) => one[feature]));
  return toProbability(constant + covered * most("covered") + likeness * most("likeness")) >= threshold;
}

function toProbability(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
