import type { LineIndex } from "./line-index.js";
import { templateOf } from "./line-template.js";
import type { Slices } from "./slices.js";

const LINES_PER_SLICE = 500;
export const HEADING = /^\s*#{1,6} \S|^=+ .+ =+$/;
export const ALARM = /\b(?:error|fail(?:ed|ure)?|exception|fatal|critical|panic|denied)\b/i;
const HEADINGS = /^[ \t]*#{1,6} \S|^=+ .+ =+$/gm;
const ALARMS = /\b(?:error|fail(?:ed|ure)?|exception|fatal|critical|panic|denied)\b/gi;
/** A text repeats its lines if it has at most one template for so many lines. */
const LINES_PER_TEMPLATE = 20;
const MAX_TEMPLATES = 5000;

export interface ChosenLines {
  /** In ascending order. */
  readonly numbers: readonly number[];
  /** Those that differ from all others, in a text that repeats its lines. */
  readonly rare: ReadonlySet<number>;
}

/**
 * Chooses the lines of a long text that a view considers: those at the beginning and at the end, headings, lines about
 * errors, rare ones, and some in between.
 */
export function* chooseLines(index: LineIndex, limit: number): Slices<ChosenLines> {
  const { count } = index;
  const rare = new Set(spread(yield* findRare(index), limit * 0.1));
  if (count <= limit) return { numbers: Array.from({ length: count }, (_, at) => at + 1), rare };
  const chosen = new Set(rare);
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
  return { numbers: [...chosen].sort((one, other) => one - other), rare };
}

/** The lines whose template occurs once; none if the text does not repeat its lines. */
function* findRare(index: LineIndex): Slices<number[]> {
  /** The first line of each template; 0 if there are several. */
  const templates = new Map<number, number>();
  for (let number = 1; number <= index.count; number += 1) {
    if (number % LINES_PER_SLICE === 0) {
      const most = Math.min(MAX_TEMPLATES, Math.max(LINES_PER_SLICE, number) / LINES_PER_TEMPLATE);
      if (templates.size > most) return [];
      yield;
    }
    const template = templateOf(index.text, index.startOf(number), index.startOf(number + 1));
    templates.set(template, templates.has(template) ? 0 : number);
  }
  return templates.size * LINES_PER_TEMPLATE > index.count ? [] : [...templates.values()].filter((line) => line > 0);
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
