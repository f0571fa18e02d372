/**
 * The number of insertions, deletions, replacements and swaps of adjacent characters that turn one word into the other,
 * or `limit + 1` if it exceeds `limit`. Skips the common prefix and suffix, and cells of the matrix that are farther
 * than `limit` from the diagonal: they cannot change the result.
 */
export function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < left.length - start && end < right.length - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  return distanceBetween(left.slice(start, left.length - end), right.slice(start, right.length - end), limit);
}

function distanceBetween(left: string, right: string, limit: number): number {
  const tooFar = limit + 1;
  const width = right.length + 1;
  let beforePrevious = new Uint16Array(width);
  let previous = new Uint16Array(width).map((_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = new Uint16Array(width).fill(tooFar);
    if (row <= limit) current[0] = row;
    let smallest = current[0] ?? tooFar;
    const last = Math.min(right.length, row + limit);
    for (let column = Math.max(1, row - limit); column <= last; column += 1) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (previous[column] ?? tooFar) + 1,
        (current[column - 1] ?? tooFar) + 1,
        (previous[column - 1] ?? tooFar) + (same ? 0 : 1),
      );
      if (isSwap(left, right, [row, column])) cost = Math.min(cost, (beforePrevious[column - 2] ?? tooFar) + 1);
      current[column] = cost;
      smallest = Math.min(smallest, cost);
    }
    if (smallest > limit) return tooFar;
    beforePrevious = previous;
    previous = current;
  }
  return Math.min(previous[right.length] ?? tooFar, tooFar);
}

function isSwap(left: string, right: string, [row, column]: readonly [number, number]): boolean {
  return row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
}

/** How many typing errors are accepted in a word with this many characters. */
export function errorsAllowed(length: number): number {
  if (length < 4) return 0;
  return length < 8 ? 1 : 2;
}

const MAX_WORD_LENGTH = 64;

/** Returns the candidate closest to a word, ignoring case; undefined if none is close. */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  let nearest: string | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), least - 1);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}
