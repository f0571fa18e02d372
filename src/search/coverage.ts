import type { Query, Term } from "./query.js";

/** How much of what a query says a document answers, other words for it included. */
export interface Coverage {
  /** The share of it, by weight, that is answered at all. */
  readonly covered: number;
  /** The sum of what the words of content add to the score. */
  readonly answered: number;
}

/** The quality at which a word counts as fully answered. */
const FULL_QUALITY = 0.5;

/** The numbers of the terms that say something. */
export function contentOf(terms: readonly Term[]): number[] {
  return [...terms.keys()].filter((term) => terms[term]?.role === "content");
}

/** From what each term adds to the score of a document. */
export function createCoverage({ terms }: Pick<Query, "terms">): (contributions: readonly number[]) => Coverage {
  const content = contentOf(terms);
  const weights = content.map((term) => terms[term]?.weight ?? 0);
  const all = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  return (contributions) => {
    let answered = 0;
    let covered = 0;
    for (const [at, term] of content.entries()) {
      const contribution = contributions[term] ?? 0;
      answered += contribution;
      covered += Math.min(weights[at] ?? 0, contribution / FULL_QUALITY);
    }
    return { covered: covered / all, answered };
  };
}
