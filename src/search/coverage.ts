import type { Query, Term } from "./query.js";

/** How much of a query a document answers, including synonyms and other forms. */
export interface Coverage {
  /** The share of the content words, by weight, that is answered at all. */
  readonly covered: number;
  /** The sum of what the content words add to the score. */
  readonly answered: number;
}

/** The share of a word's weight from which the word counts as fully answered. */
const FULL_QUALITY = 0.5;

/** The indexes of the content terms. */
export function contentOf(terms: readonly Term[]): number[] {
  return [...terms.keys()].filter((term) => terms[term]?.role === "content");
}

/** Takes what each term adds to the score of a document. */
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
