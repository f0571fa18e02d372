import type { RankingConstants } from "./constants.js";
import { createCoverage } from "./coverage.js";
import { type Fused, lengthOf } from "./fuse.js";
import { type Closeness, SECOND_PASS_SIZE } from "./meaning/closeness.js";
import type { Query } from "./query.js";

interface SecondPassParts {
  readonly query: Query;
  readonly ranking: RankingConstants;
  readonly compare: (pieces: Uint16Array) => Closeness;
  readonly piecesOf: (document: number) => Uint16Array;
  readonly isDeprecated: (document: number) => boolean;
  readonly idOf: (document: number) => string;
}

/**
 * The second pass of the ranking: reranks the best candidates. It compares each subword token of the query with the
 * tokens of the tool, which the first pass does not do. The larger the share of the query that the best lexical match
 * covers, the less the tokens add. The longer the query, the less the second pass adds; it is skipped for very long
 * queries.
 */
export function runSecondPass(candidates: readonly Fused[], parts: SecondPassParts): Fused[] {
  const { query, ranking, compare, piecesOf, isDeprecated, idOf } = parts;
  const short = 1 - lengthOf(query, ranking);
  if (short === 0) return [...candidates];
  const cover = createCoverage(query);
  const best = candidates.slice(0, SECOND_PASS_SIZE);
  const covered = best.map(({ contributions }) => cover(contributions).covered);
  const unanswered = 1 - Math.min(1, Math.max(0, ...covered));
  const additions = best.map(({ document, likeness }, index) => {
    const { answered, name, server } = compare(piecesOf(document));
    return (
      short *
      (isDeprecated(document) ? ranking.deprecated : 1) *
      (ranking.closeWhole * (likeness?.whole ?? 0) +
        ranking.closePieces * unanswered * answered +
        ranking.closeName * name +
        ranking.closeServer * server +
        ranking.closeCovered * (covered[index] ?? 0))
    );
  });
  // Candidates beyond `SECOND_PASS_SIZE` get the lowest addition, so that their scores remain comparable.
  const lowest = Math.min(...additions);
  return candidates
    .map((candidate, index) => ({ ...candidate, score: candidate.score + (additions[index] ?? lowest) }))
    .sort((a, b) => b.score - a.score || (idOf(a.document) < idOf(b.document) ? -1 : 1));
}
