import type { Candidate } from "./rerank.js";
import type { Term } from "./query.js";
import { toRarity } from "./query.js";

/** What the relevance of a hit is told from; none depends on how large scores happen to be. */
export interface Evidence {
  /** The share of what the query says that the hit answers at all, other words for it included. */
  readonly covered: number;
  /** The same for the words themselves and their other forms. */
  readonly literal: number;
  /** How fully the strongest words are answered. */
  readonly strength: number;
  /** How much is answered, in words as rare as can be. */
  readonly amount: number;
  /** 1 for the best hit. */
  readonly first: number;
  /** By how much, as a logarithm, the best hit is better than the second. */
  readonly lead: number;
  /** By how much, as a negative logarithm, another hit is worse than the best. */
  readonly distance: number;
  /** How long the query is, as a logarithm. */
  readonly length: number;
}

/** Long questions name more than a tool can answer: only their strongest words count as asked for. */
const WORDS_ASKED_FOR = 6;
/** The quality at which a word counts as fully answered. */
const FULL_QUALITY = 0.5;
/** Of a hit far ahead, or alone, no more is known than of one well ahead. */
const LONGEST_LEAD = 1;

export function weighEvidence(
  candidates: readonly Candidate[],
  { terms, size }: { readonly terms: readonly Term[]; readonly size: number },
): Evidence[] {
  const content = [...terms.keys()].filter((term) => terms[term]?.role === "content");
  const weights = content.map((term) => terms[term]?.weight ?? 0);
  const all = sum(weights) || 1;
  const asked = sum(weights.toSorted((a, b) => b - a).slice(0, WORDS_ASKED_FOR)) || 1;
  const rarest = toRarity(0, size);
  return candidates.map(({ contributions, direct, score }, index) => {
    const answered = sum(content.map((term) => contributions[term] ?? 0));
    const isFirst = index === 0;
    const rival = candidates[isFirst ? 1 : 0]?.score ?? 0;
    return {
      covered:
        sum(content.map((term, at) => Math.min(weights[at] ?? 0, (contributions[term] ?? 0) / FULL_QUALITY))) / all,
      literal: sum(content.map((term, at) => (direct[term] === 1 ? (weights[at] ?? 0) : 0))) / all,
      strength: answered / asked,
      amount: answered / rarest,
      first: isFirst ? 1 : 0,
      lead: isFirst ? Math.min(Math.log(score / rival), LONGEST_LEAD) : 0,
      distance: isFirst ? 0 : Math.log(score / rival),
      length: Math.log(1 + content.length),
    };
  });
}

/** Fitted by `npm run fit`; `docs/search.md` tells on what and how well. */
const MODEL: Readonly<Record<keyof Evidence, number>> = {
  covered: 1.546,
  literal: -0.58,
  strength: 1.178,
  amount: 1.904,
  first: 1.484,
  lead: 1.585,
  distance: 1.186,
  length: 0.151,
};
const CONSTANT = -4.82;

/** The chance that the hit is what was asked for, 0 to 1. */
export function toRelevance(evidence: Evidence): number {
  let odds = CONSTANT;
  for (const [name, weight] of Object.entries(MODEL)) odds += weight * evidence[name as keyof Evidence];
  return 1 / (1 + Math.exp(-odds));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
