import { sanitize } from "../../util/terminal.js";
import { cutAtWord, toOneLine } from "../../util/text.js";

const CONTEXT = 20;
const LONGEST = 80;
const LONGEST_NAME = 60;

/** `…old… → …new…` with the part that differs and a little around it. */
export function textDifference(before: string | undefined, after: string | undefined): string {
  if (before === undefined) return `none → ${shown(after ?? "")}`;
  if (after === undefined) return `${shown(before)} → none`;
  const [head, tail] = commonEnds(before, after);
  return `${excerpt(before, head, tail)} → ${excerpt(after, head, tail)}`;
}

/** A name or a value of a stranger, short and on one line. */
export function shownName(name: string): string {
  return cutAtWord(sanitize(toOneLine(name)), LONGEST_NAME);
}

export function shownValue(value: unknown): string {
  return value === undefined ? "none" : shownName(JSON.stringify(value));
}

function shown(text: string): string {
  return JSON.stringify(cutAtWord(sanitize(toOneLine(text.slice(0, 10 * LONGEST))), LONGEST));
}

/** How many characters both have in common at the start, and at the end. */
function commonEnds(one: string, other: string): readonly [number, number] {
  const shortest = Math.min(one.length, other.length);
  let head = 0;
  while (head < shortest && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  return [head, tail];
}

function excerpt(text: string, head: number, tail: number): string {
  const start = wordStart(text, Math.max(0, head - CONTEXT));
  const end = Math.min(text.length, text.length - tail + CONTEXT);
  const part = shown(text.slice(start, end).toWellFormed());
  return `${start > 0 ? "…" : ""}${part}${end < text.length ? "…" : ""}`;
}

function wordStart(text: string, from: number): number {
  if (from === 0) return 0;
  const space = text.indexOf(" ", from);
  return space === -1 || space >= from + CONTEXT ? from : space + 1;
}
