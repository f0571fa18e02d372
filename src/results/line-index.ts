import type { Slices } from "./slices.js";

/** The longest addressable line. Longer lines of a text are divided, so that each line fits into an answer. */
export const MAX_LINE_CHARACTERS = 1000;

const LINES_PER_SLICE = 4000;
const NEWLINE = 10;
const RETURN = 13;

/** The lines of a text, with their offsets. */
export interface LineIndex {
  readonly text: string;
  readonly count: number;
  /** Returns a line without its line break, counted from 1. */
  line(number: number): string;
  /** The offset of the first character of a line; the length of the text for numbers after the last line. */
  startOf(number: number): number;
  /** Whether the next line is the rest of this one, which is longer than `MAX_LINE_CHARACTERS`. */
  isDivided(number: number): boolean;
  /** Returns the number of the line that contains the character at `offset`. */
  numberAt(offset: number): number;
}

export function* indexLines(text: string): Slices<LineIndex> {
  // An array of JavaScript copies 10 million numbers in 50 ms when it grows.
  let starts = new Uint32Array(1024);
  let count = 0;
  /** The end of the line that is being divided: searching for it again for each part would take quadratic time. */
  let end = -1;
  for (let start = 0; start <= text.length; ) {
    if (count % LINES_PER_SLICE === LINES_PER_SLICE - 1) yield;
    if (end < start) {
      const found = text.indexOf("\n", start);
      end = found === -1 ? text.length : found;
    }
    // The line break at the end of a text does not start another line.
    if (start === text.length && start > 0) break;
    if (count === starts.length) {
      const longer = new Uint32Array(count * 2);
      longer.set(starts);
      starts = longer;
    }
    starts[count] = start;
    count += 1;
    start = end - start <= MAX_LINE_CHARACTERS ? end + 1 : divisionAfter(text, start);
  }
  const startOf = (number: number): number => (number > count ? text.length : (starts[number - 1] ?? 0));
  return {
    text,
    count,
    startOf,
    line(number) {
      let last = startOf(number + 1);
      if (text.charCodeAt(last - 1) === NEWLINE && last > startOf(number)) {
        last -= 1;
        if (text.charCodeAt(last - 1) === RETURN && last > startOf(number)) last -= 1;
      }
      return text.slice(startOf(number), last);
    },
    isDivided: (number) => number < count && text.charCodeAt(startOf(number + 1) - 1) !== NEWLINE,
    numberAt(offset) {
      let [low, high] = [1, count];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (startOf(middle) <= offset) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}

/** Where to divide a long line: after a space, tag or punctuation mark in its last quarter, never in a surrogate pair. */
function divisionAfter(text: string, start: number): number {
  const end = start + MAX_LINE_CHARACTERS;
  for (let at = end; at > end - MAX_LINE_CHARACTERS / 4; at -= 1) {
    const code = text.charCodeAt(at - 1);
    if (code === 32 || code === 62 || code === 44 || code === 59) return at;
  }
  const isPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isPair ? end - 1 : end;
}
