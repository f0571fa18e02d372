import type { Meaning, Vector } from "./meaning.js";
import { createMatrix } from "./multiply.js";

/** Semantic similarity of documents to one query (cosine): 1 is equal, 0 is unrelated, below 0 is opposed. */
export interface Likeness {
  /** The most similar documents that `accepts` allows, at most `max`. */
  nearest(max: number, accepts: (document: number) => boolean): readonly number[];
  /** Similarity to the whole query. */
  toWhole(document: number): number;
  /** Similarity to the nearest clause, or to the whole query if that is nearer. */
  toParts(document: number): number;
}

export interface LikenessIndex {
  compare(query: string, parts: readonly string[]): Likeness;
}

interface BlockMeanings {
  readonly meanings: { readonly values: Int8Array; readonly scales: Float32Array } | undefined;
}

/** Copies the vectors of all documents into one matrix, so that a query needs only one matrix multiplication. */
export function createLikenessIndex(blocks: readonly BlockMeanings[], size: number, meaning: Meaning): LikenessIndex {
  const { dims } = meaning;
  const matrix = createMatrix(size, dims);
  const scales = new Float32Array(size);
  let first = 0;
  for (const { meanings } of blocks) {
    if (meanings === undefined) continue;
    matrix.rows.set(meanings.values, first * dims);
    scales.set(meanings.scales, first);
    first += meanings.scales.length;
  }

  const likenessTo = ({ values, scale }: Vector, document: number): number => {
    let product = 0;
    const start = document * dims;
    for (let at = 0; at < dims; at += 1) product += (values[at] ?? 0) * (matrix.rows[start + at] ?? 0);
    return product * scale * (scales[document] ?? 0);
  };

  return {
    compare(query, parts) {
      const whole = meaning.readQuery(query);
      const clauses = parts.length > 1 ? parts.map((part) => meaning.readQuery(part)) : [];
      const products = matrix.multiply(whole.values);
      const toWhole = (document: number): number => (products[document] ?? 0) * whole.scale * (scales[document] ?? 0);
      return {
        toWhole,
        toParts(document) {
          let nearest = toWhole(document);
          for (const clause of clauses) nearest = Math.max(nearest, likenessTo(clause, document));
          return nearest;
        },
        nearest: (max, accepts) => (whole.scale === 0 ? [] : selectNearest({ products, scales, max, accepts })),
      };
    },
  };
}

interface Selection {
  readonly products: Int32Array;
  readonly scales: Float32Array;
  readonly max: number;
  readonly accepts: (document: number) => boolean;
}

/**
 * Selects the most similar documents. Inserts into a sorted list: after a few hundred documents, insertions become
 * rare.
 */
function selectNearest({ products, scales, max, accepts }: Selection): number[] {
  const nearest: { readonly document: number; readonly value: number }[] = [];
  let farthest = -Infinity;
  for (let document = 0; document < products.length; document += 1) {
    const value = (products[document] ?? 0) * (scales[document] ?? 0);
    if (value <= farthest || !accepts(document)) continue;
    let at = nearest.length;
    while (at > 0 && (nearest[at - 1]?.value ?? 0) < value) at -= 1;
    nearest.splice(at, 0, { document, value });
    if (nearest.length > max) nearest.pop();
    if (nearest.length === max) farthest = nearest.at(-1)?.value ?? farthest;
  }
  return nearest.map(({ document }) => document);
}
