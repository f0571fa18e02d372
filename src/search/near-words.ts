import { editDistance, errorsAllowed } from "../util/edit-distance.js";

export interface NearWord {
  readonly word: string;
  readonly distance: number;
}

/** Finds words of the catalog that a mistyped one may have meant, nearest first. */
export type FindNearWords = (word: string, errors?: number) => readonly NearWord[];

const MOST_NEAR_WORDS = 3;
/** More words than this with the same length and the same end are no language, and would make one look-up slow. */
const MOST_WITH_THE_SAME_END = 400;

/**
 * Most typing errors leave the first two or the last two letters alone, so the words are kept by length and by either
 * end: a look-up compares a few hundred of them, not all.
 */
export function createNearWords(words: Iterable<string>): FindNearWords {
  const byEnd = new Map<string, string[]>();
  for (const word of words) {
    if (errorsAllowed(word.length + 1) === 0) continue;
    for (const end of endsOf(word, word.length)) {
      const same = byEnd.get(end);
      if (same === undefined) byEnd.set(end, [word]);
      else same.push(word);
    }
  }
  for (const same of byEnd.values()) {
    // Sorted, so that what is left out does not depend on the order of the documents.
    if (same.length > MOST_WITH_THE_SAME_END) same.sort().splice(MOST_WITH_THE_SAME_END);
  }
  return (word, errors = errorsAllowed(word.length)) => {
    const near = new Map<string, number>();
    if (errors === 0) return [];
    for (let length = word.length - errors; length <= word.length + errors; length += 1) {
      for (const candidate of endsOf(word, length).flatMap((end) => byEnd.get(end) ?? [])) {
        if (near.has(candidate)) continue;
        const distance = editDistance(word, candidate, errors);
        if (distance <= errors) near.set(candidate, distance);
      }
    }
    return [...near]
      .map(([candidate, distance]) => ({ word: candidate, distance }))
      .sort((a, b) => a.distance - b.distance || (a.word < b.word ? -1 : 1))
      .slice(0, MOST_NEAR_WORDS);
  };
}

/** Under what a word of the given length is kept that has the same first or last two letters as this one. */
function endsOf(word: string, length: number): string[] {
  return [`${length} ${word.slice(0, 2)}`, `${word.slice(-2)} ${length}`];
}
