import { type BaselineDocument, type Rank, takeBest } from "./baseline.js";
import { splitWords } from "./words.js";

const K1 = 1.2;
const B = 0.75;

interface Posting {
  readonly document: number;
  readonly frequency: number;
}

/** Plain BM25 over name, description and parameter names as one text, without stemming, stop words and field weights. */
export function createBm25(documents: readonly BaselineDocument[]): Rank {
  const texts = documents.map(({ name, description, parameters }) =>
    splitWords(`${name} ${description} ${parameters.join(" ")}`),
  );
  const postings = indexWords(texts);
  const average = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(texts.length, 1);
  const norms = texts.map(({ length }) => K1 * (1 - B + (B * length) / average));

  return (query, hidden) => {
    const scores = new Float64Array(documents.length);
    for (const word of new Set(splitWords(query))) {
      const found = postings.get(word) ?? [];
      const rarity = Math.log(1 + (documents.length - found.length + 0.5) / (found.length + 0.5));
      for (const { document, frequency } of found) {
        const saturated = (frequency * (K1 + 1)) / (frequency + (norms[document] ?? K1));
        scores[document] = (scores[document] ?? 0) + rarity * saturated;
      }
    }
    return takeBest(scores, documents, hidden);
  };
}

function indexWords(texts: readonly (readonly string[])[]): ReadonlyMap<string, readonly Posting[]> {
  const postings = new Map<string, Posting[]>();
  for (const [document, words] of texts.entries()) {
    const frequencies = new Map<string, number>();
    for (const word of words) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    for (const [word, frequency] of frequencies) {
      const list = postings.get(word) ?? [];
      postings.set(word, list);
      list.push({ document, frequency });
    }
  }
  return postings;
}
