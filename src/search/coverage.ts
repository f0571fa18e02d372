import type { Query, Term } from "./query.js";

/** How much of a query a document matches, including synonyms and other forms of words. */
export interface Coverage {
  /** The share of the query's content words, by weight, that the document matches. */
  readonly covered: number;
  /** The sum that the content words contribute to the document's score. */
  readonly answered: number;
}

/** A word counts as fully matched if it contributes at least this share of its weight. */
const FULL_QUALITY = 0.5;

/** The indexes of the terms that are content words. */
export function contentOf(terms: readonly Term[]): number[] {
  return [...terms.keys()].filter((term) => terms[term]?.role === "content");
}

/** Returns a function that computes the coverage of a document from the contribution of each term to its score. */
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
