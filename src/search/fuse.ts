import type { RankingConstants } from "./constants.js";
import { contentOf } from "./coverage.js";
import type { Likeness } from "./meaning/likeness.js";
import { type Query, toRarity } from "./query.js";
import type { Candidate } from "./rerank.js";

/** A candidate by its words and by its meaning. */
export interface Fused extends Candidate {
  /** The share of what the query says, weighted by rarity, that is there in its own words. */
  readonly literal: number;
  /** How near it is to the query, and to the nearest part of it; undefined where no model tells. */
  readonly likeness: { readonly whole: number; readonly part: number } | undefined;
}

interface FuseParts {
  readonly query: Query;
  readonly likeness: Likeness | undefined;
  /** How many documents there are. */
  readonly size: number;
  readonly ranking: RankingConstants;
  readonly idOf: (document: number) => string;
}

/** How long a query is: 0 is short, 1 is as long as makes a difference. */
export function lengthOf({ terms }: Query, { longQuery, fullGainBeyond }: RankingConstants): number {
  return Math.min(1, Math.max(0, contentOf(terms).length - longQuery) / fullGainBeyond);
}

/** Two scores become one: both in words as rare as can be, so that neither depends on what else was found. The best come first, equals by id. */
export function fuse(candidates: readonly Candidate[], parts: FuseParts): Fused[] {
  const { query, likeness, ranking, idOf } = parts;
  const rarest = toRarity(0, parts.size);
  const content = contentOf(query.terms);
  const weightOf = (term: number): number => query.terms[term]?.weight ?? 0;
  const all = content.reduce((sum, term) => sum + weightOf(term), 0) || 1;
  const gain = 1 + ranking.longGain * lengthOf(query, ranking);
  return candidates
    .map((candidate): Fused => {
      const { document, direct } = candidate;
      let literal = 0;
      for (const term of content) if (direct[term] === true) literal += weightOf(term) / all;
      const words = candidate.score / rarest;
      const { contributions } = candidate;
      if (likeness === undefined) return { document, score: words, contributions, direct, literal, likeness };
      const near = { whole: likeness.toWhole(document), part: likeness.toParts(document) };
      const meant = near.whole + ranking.clauseMeaning * (near.part - near.whole);
      const score = gain * words + ranking.meaning * meant + ranking.literal * literal;
      return { document, score, contributions, direct, literal, likeness: near };
    })
    .sort((a, b) => b.score - a.score || (idOf(a.document) < idOf(b.document) ? -1 : 1));
}
