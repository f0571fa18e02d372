import { FREQUENCY_STEP } from "./block.js";
import type { RankingConstants } from "./constants.js";
import type { Postings } from "./postings.js";
import type { Term } from "./query.js";

/** A document number and its score. */
export interface Scored {
  readonly document: number;
  readonly score: number;
}

export interface Selection {
  /** The maximum number of documents to return. */
  readonly max: number;
  /** Whether a document may be returned. Called only for documents that would be among the best. */
  readonly accepts: (document: number) => boolean;
}

export type Scorer = (terms: readonly Term[], selection: Selection) => Scored[];

/**
 * Computes the second half of BM25F: sums all readings of a term, saturates the sum and weighs it by rarity. Returns
 * the best documents, sorted by score, then by number.
 */
export function createScorer(postings: Postings, { saturation }: RankingConstants): Scorer {
  // The score of each document. Shared by all searches, which never overlap.
  const totals = new Float64Array(postings.size);
  const frequencies = new Float64Array(postings.size);

  const addTerm = ({ weight, readings }: Term, found: number[]): void => {
    const touched: number[] = [];
    for (const { word, share } of readings) {
      const end = postings.starts[word + 1] ?? 0;
      const step = share * FREQUENCY_STEP;
      for (let at = postings.starts[word] ?? end; at < end; at += 1) {
        const document = postings.documents[at] ?? 0;
        const before = frequencies[document] ?? 0;
        if (before === 0) touched.push(document);
        frequencies[document] = before + step * (postings.frequencies[at] ?? 0);
      }
    }
    for (const document of touched) {
      const before = totals[document] ?? 0;
      if (before === 0) found.push(document);
      totals[document] = before + weight * saturate(frequencies[document] ?? 0, saturation);
      frequencies[document] = 0;
    }
  };

  return (terms, selection) => {
    const found: number[] = [];
    for (const term of terms) addTerm(term, found);
    const best = selectBest(found, totals, selection);
    for (const document of found) totals[document] = 0;
    return best;
  };
}

export function saturate(frequency: number, saturation: number): number {
  return frequency / (frequency + saturation);
}

/**
 * Selects the best documents with a heap whose top is the worst of them, so that only few of very many documents are
 * sorted.
 */
function selectBest(found: readonly number[], totals: Float64Array, { max, accepts }: Selection): Scored[] {
  const heap: Scored[] = [];
  for (const document of found) {
    const score = totals[document] ?? 0;
    const worst = heap[0];
    const isFull = heap.length >= max && worst !== undefined;
    // Most documents end here, so nothing is allocated for them.
    if (isFull && (score < worst.score || (score === worst.score && document > worst.document))) continue;
    const candidate = { document, score };
    if (!accepts(document)) continue;
    if (heap.length < max) raise(heap, heap.push(candidate) - 1);
    else sink(heap, candidate);
  }
  return heap.sort((a, b) => (isWorse(a, b) ? 1 : -1));
}

function isWorse(left: Scored, right: Scored): boolean {
  return left.score < right.score || (left.score === right.score && left.document > right.document);
}

function raise(heap: Scored[], from: number): void {
  let at = from;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const [child, above] = [heap[at], heap[parent]];
    if (child === undefined || above === undefined || !isWorse(child, above)) return;
    heap[at] = above;
    heap[parent] = child;
    at = parent;
  }
}

function sink(heap: Scored[], replacement: Scored): void {
  let at = 0;
  heap[0] = replacement;
  for (;;) {
    let worst = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      const [left, right] = [heap[child], heap[worst]];
      if (left !== undefined && right !== undefined && isWorse(left, right)) worst = child;
    }
    const next = heap[worst];
    if (worst === at || next === undefined) return;
    heap[worst] = replacement;
    heap[at] = next;
    at = worst;
  }
}
