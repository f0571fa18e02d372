import type { Slices } from "./slices.js";

const LINES_PER_SLICE = 1000;
export const HEADING = /^\s*#{1,6} \S|^=+ .+ =+$/;
export const ALARM = /\b(?:error|fail(?:ed|ure)?|exception|fatal|critical|panic|denied)\b/i;

/**
 * Chooses the lines of a long text that a view considers: those at the beginning and at the end, headings, lines about
 * errors, and some in between. Returns the indexes in ascending order.
 */
export function* chooseLines(count: number, line: (index: number) => string, limit: number): Slices<number[]> {
  if (count <= limit) return Array.from({ length: count }, (_, index) => index);
  const chosen = new Set<number>();
  const [head, tail] = [Math.floor(limit * 0.4), Math.floor(limit * 0.15)];
  for (let index = 0; index < head; index += 1) chosen.add(index);
  for (let index = count - tail; index < count; index += 1) chosen.add(index);
  const headings: number[] = [];
  const alarms: number[] = [];
  for (let index = head; index < count - tail; index += 1) {
    if (index % LINES_PER_SLICE === 0) yield;
    const text = line(index);
    if (HEADING.test(text)) headings.push(index);
    else if (text.length < 1000 && ALARM.test(text)) alarms.push(index);
  }
  for (const index of spread(headings, limit * 0.2)) chosen.add(index);
  for (const index of spread(alarms, limit * 0.1)) chosen.add(index);
  const step = count / (limit * 0.15);
  for (let at = head; at < count; at += step) chosen.add(Math.floor(at));
  return [...chosen].sort((one, other) => one - other);
}

/** At most `limit` elements: the first ones, and from the rest in equal distances. */
function spread(indexes: readonly number[], limit: number): number[] {
  const most = Math.floor(limit);
  if (indexes.length <= most) return [...indexes];
  const step = indexes.length / most;
  return Array.from({ length: most }, (_, at) => indexes[Math.floor(at * step)] ?? 0);
}
