import type { Slices } from "./slices.js";

/** The longest addressable line. Longer lines of a text are divided, so that each line fits into an answer. */
export const MAX_LINE_CHARACTERS = 1000;

const LINES_PER_SLICE = 4000;

/** The lines of a text, with their offsets. */
export interface LineIndex {
  readonly text: string;
  readonly count: number;
  /** Whether lines longer than `MAX_LINE_CHARACTERS` were divided. */
  readonly isDivided: boolean;
  /** Returns a line without its line break, counted from 1. */
  line(number: number): string;
  /** Returns the number of the line that contains the character at `offset`. */
  numberAt(offset: number): number;
}

export function* indexLines(text: string): Slices<LineIndex> {
  const starts: number[] = [];
  let isDivided = false;
  /** The end of the line that is being divided: searching for it again for each part would take quadratic time. */
  let end = -1;
  for (let start = 0; start <= text.length; ) {
    if (starts.length % LINES_PER_SLICE === LINES_PER_SLICE - 1) yield;
    if (end < start) {
      const found = text.indexOf("\n", start);
      end = found === -1 ? text.length : found;
    }
    // The line break at the end of a text does not start another line.
    if (start === text.length && start > 0) break;
    starts.push(start);
    if (end - start <= MAX_LINE_CHARACTERS) {
      start = end + 1;
      continue;
    }
    isDivided = true;
    start = divisionAfter(text, start);
  }
  const { length: count } = starts;
  const startOf = (number: number): number => starts[number - 1] ?? text.length;
  return {
    text,
    count,
    isDivided,
    line: (number) =>
      text.slice(startOf(number), number < count ? startOf(number + 1) : text.length).replace(/\r?\n$/, ""),
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
