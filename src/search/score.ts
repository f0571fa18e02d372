import type { QueryWord } from "./query.js";

/** The quality at which a word counts as fully answered: about that of one found in the name. */
const FULL_QUALITY = 0.75;
/** Long questions name more than a tool can answer: only their strongest words count as asked for. */
const WORDS_ASKED_FOR = 6;
/** By document number: how much of what the query says the document answers. More than 1 is more than enough, and ranks higher still. */
export type Scores = Map<number, number>;

/** The scratch arrays are as long as the catalog and shared by all searches, which never overlap. */
export function createScorer(size: number): (words: readonly QueryWord[]) => Scores {
  const totals = new Float64Array(size);
  const bests = new Float64Array(size);

  /** The best reading of a word counts, not their sum: a synonym beside the word itself is no second answer. */
  const addWord = ({ readings }: QueryWord, found: Set<number>): void => {
    const touched: number[] = [];
    for (const { postings, start, end, weight } of readings) {
      for (let at = start; at < end; at += 1) {
        const document = postings.documents[at] ?? 0;
        const value = weight * (postings.qualities[at] ?? 0);
        const best = bests[document] ?? 0;
        if (best === 0) touched.push(document);
        if (value > best) bests[document] = value;
      }
    }
    for (const document of touched) {
      totals[document] = (totals[document] ?? 0) + (bests[document] ?? 0);
      bests[document] = 0;
      found.add(document);
    }
  };

  return (words) => {
    const found = new Set<number>();
    for (const word of words) addWord(word, found);
    const full = askedFor(words) * FULL_QUALITY;
    const scores: Scores = new Map();
    for (const document of found) {
      scores.set(document, (totals[document] ?? 0) / full);
      totals[document] = 0;
    }
    return scores;
  };
}

function askedFor(words: readonly QueryWord[]): number {
  const weights = words.map(({ weight }) => weight).sort((a, b) => b - a);
  return weights.slice(0, WORDS_ASKED_FOR).reduce((sum, weight) => sum + weight, 0);
}
