export interface Range {
  readonly start: number;
  readonly end: number;
}

/** All occurrences of the word from `from` on, in one pass even for self-similar words (Knuth-Morris-Pratt). */
export function occurrencesOf(word: string, text: string, from: number): Range[] {
  const found: Range[] = [];
  const borders = bordersOf(word);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    matched = extend(word, borders, matched, text.charCodeAt(at));
    if (matched === word.length) cover(found, { start: at + 1 - word.length, end: at + 1 });
  }
  return found;
}

/** For each prefix of the word, the length of its longest proper prefix that is also its suffix. */
function bordersOf(word: string): Uint32Array {
  const borders = new Uint32Array(word.length);
  for (let at = 1; at < word.length; at++) {
    borders[at] = extend(word, borders, borders[at - 1] ?? 0, word.charCodeAt(at));
  }
  return borders;
}

/** The number of matched characters after reading `unit`, if `matched` characters matched before. */
function extend(word: string, borders: Uint32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && word.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
  return word.charCodeAt(length) === unit ? length + 1 : length;
}

/** Adds a range. It must not start before the last one; the two are merged if they overlap or touch. */
export function cover(ranges: Range[], { start, end }: Range): void {
  const last = ranges.at(-1);
  if (last === undefined || start > last.end) ranges.push({ start, end });
  else ranges[ranges.length - 1] = { start: last.start, end: Math.max(last.end, end) };
}
