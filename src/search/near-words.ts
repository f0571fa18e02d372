import { editDistance, errorsAllowed } from "../util/edit-distance.js";

export interface NearWord {
  readonly word: string;
  readonly distance: number;
}

/** Finds the words of the catalog that the user may have meant by a mistyped word, nearest first. */
export type FindNearWords = (word: string, errors?: number) => readonly NearWord[];

const MAX_NEAR_WORDS = 3;
/**
 * The maximum number of words in a group (same length and same first or last two letters); further words are dropped. A
 * larger group is not natural language, and would make a look-up slow.
 */
const MAX_WITH_SAME_END = 400;

/**
 * Creates the look-up. Most typing errors leave the first two or the last two letters intact, so words are grouped by
 * length and by these letters, and a look-up compares a few hundred words instead of all.
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
    // Sort before dropping words, so that the result does not depend on the order of the documents.
    if (same.length > MAX_WITH_SAME_END) same.sort().splice(MAX_WITH_SAME_END);
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
      .slice(0, MAX_NEAR_WORDS);
  };
}

/** The two group keys of words of this length that share the first or last two letters with `word`. */
function endsOf(word: string, length: number): string[] {
  return [`${length} ${word.slice(0, 2)}`, `${word.slice(-2)} ${length}`];
}
