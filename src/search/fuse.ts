import type { RankingConstants } from "./constants.js";
import { contentOf } from "./coverage.js";
import type { Likeness } from "./meaning/likeness.js";
import { type Query, toRarity } from "./query.js";
import type { RerankCandidate } from "./rerank.js";

/** A candidate with its combined score and the parts of that score. */
export interface Fused extends RerankCandidate {
  /**
   * The share of the query's content words, weighted by rarity, that the document contains literally or in another
   * form.
   */
  readonly literal: number;
  /** Semantic similarity to the whole query and to its nearest clause; undefined if no model is used. */
  readonly likeness: { readonly whole: number; readonly part: number } | undefined;
}

interface FuseParts {
  readonly query: Query;
  readonly likeness: Likeness | undefined;
  /** The number of documents in the index. */
  readonly size: number;
  readonly ranking: RankingConstants;
  readonly idOf: (document: number) => string;
}

/** How long a query is, from 0 (short) to 1 (so long that more words make no difference). */
export function lengthOf({ terms }: Query, { longQuery, fullGainBeyond }: RankingConstants): number {
  return Math.min(1, Math.max(0, contentOf(terms).length - longQuery) / fullGainBeyond);
}

/**
 * Combines the lexical and the semantic score. Both are in units of the highest possible word weight, so that neither
 * depends on the other hits. Returns the candidates sorted by score, then by id.
 */
export function fuse(candidates: readonly RerankCandidate[], parts: FuseParts): Fused[] {
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
      const similarity = { whole: likeness.toWhole(document), part: likeness.toParts(document) };
      const meaning = similarity.whole + ranking.clauseMeaning * (similarity.part - similarity.whole);
      const score = gain * words + ranking.meaning * meaning + ranking.literal * literal;
      return { document, score, contributions, direct, literal, likeness: similarity };
    })
    .sort((a, b) => b.score - a.score || (idOf(a.document) < idOf(b.document) ? -1 : 1));
}
