import { editDistance, errorsAllowed } from "./edit-distance.js";

export interface NearWord {
  readonly word: string;
  readonly distance: number;
}

/** Finds words of the catalog that a mistyped one may have meant, nearest first. */
export type FindNearWords = (word: string, errors?: number) => readonly NearWord[];

const MOST_NEAR_WORDS = 3;

/** The words are kept by length, so that a query looks at a few thousand of them at most. */
export function createNearWords(words: Iterable<string>): FindNearWords {
  const byLength = new Map<number, string[]>();
  for (const word of words) {
    if (errorsAllowed(word.length + 1) === 0) continue;
    const same = byLength.get(word.length);
    if (same === undefined) byLength.set(word.length, [word]);
    else same.push(word);
  }
  return (word, errors = errorsAllowed(word.length)) => {
    const near: NearWord[] = [];
    if (errors === 0) return near;
    for (let length = word.length - errors; length <= word.length + errors; length += 1) {
      for (const candidate of byLength.get(length) ?? []) {
        if (!sharesAnEnd(word, candidate)) continue;
        const distance = editDistance(word, candidate, errors);
        if (distance <= errors) near.push({ word: candidate, distance });
      }
    }
    return near.sort((a, b) => a.distance - b.distance || (a.word < b.word ? -1 : 1)).slice(0, MOST_NEAR_WORDS);
  };
}

/** Most typing errors leave the first or the last two letters alone; this spares the exact comparison for nearly all words. */
function sharesAnEnd(left: string, right: string): boolean {
  if (left[0] === right[0] && left[1] === right[1]) return true;
  return left.at(-1) === right.at(-1) && left.at(-2) === right.at(-2);
}
