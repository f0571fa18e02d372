import type { LineIndex } from "./line-index.js";
import type { Slices } from "./slices.js";

const LINES_PER_SLICE = 500;
export const HEADING = /^\s*#{1,6} \S|^=+ .+ =+$/;
export const ALARM = /\b(?:error|fail(?:ed|ure)?|exception|fatal|critical|panic|denied)\b/i;
const HEADINGS = /^[ \t]*#{1,6} \S|^=+ .+ =+$/gm;
const ALARMS = /\b(?:error|fail(?:ed|ure)?|exception|fatal|critical|panic|denied)\b/gi;

/**
 * Chooses the lines of a long text that a view considers: those at the beginning and at the end, headings, lines about
 * errors, and some in between. Returns their numbers in ascending order.
 */
export function* chooseLines(index: LineIndex, limit: number): Slices<number[]> {
  const { count } = index;
  if (count <= limit) return Array.from({ length: count }, (_, at) => at + 1);
  const chosen = new Set<number>();
  const [head, tail] = [Math.floor(limit * 0.4), Math.floor(limit * 0.15)];
  for (let number = 1; number <= head; number += 1) chosen.add(number);
  for (let number = count - tail + 1; number <= count; number += 1) chosen.add(number);
  const headings: number[] = [];
  const alarms: number[] = [];
  for (let from = head + 1; from <= count - tail; from += LINES_PER_SLICE) {
    yield;
    const to = Math.min(count - tail + 1, from + LINES_PER_SLICE);
    findLines(index, from, to, HEADINGS, headings);
    findLines(index, from, to, ALARMS, alarms);
  }
  for (const number of spread(headings, limit * 0.2)) chosen.add(number);
  for (const number of spread(alarms, limit * 0.1)) chosen.add(number);
  const step = Math.max(1, count / (limit * 0.15));
  for (let at = head + 1; at <= count; at += step) chosen.add(Math.floor(at));
  return [...chosen].sort((one, other) => one - other);
}

/** Adds the lines from `from` to `to` in which the pattern matches. */
function findLines(index: LineIndex, from: number, to: number, pattern: RegExp, found: number[]): void {
  const start = index.startOf(from);
  const text = index.text.slice(start, index.startOf(to));
  pattern.lastIndex = 0;
  while (pattern.test(text)) {
    const number = index.numberAt(start + pattern.lastIndex - 1);
    found.push(number);
    // The rest of the line needs no second match.
    pattern.lastIndex = Math.max(pattern.lastIndex, index.startOf(number + 1) - start);
  }
}

/** At most `limit` elements: the first ones, and from the rest in equal distances. */
function spread(numbers: readonly number[], limit: number): number[] {
  const most = Math.floor(limit);
  if (numbers.length <= most) return [...numbers];
  const step = numbers.length / most;
  return Array.from({ length: most }, (_, at) => numbers[Math.floor(at * step)] ?? 0);
}
