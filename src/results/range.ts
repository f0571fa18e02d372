import type { DiscoveryError } from "../errors.js";
import { invalidRequest } from "../util/invalid-request.js";

/** What is counted, and how: the first and the last number that exist. */
export interface RangeLimits {
  readonly what: "lines" | "items";
  readonly first: number;
  readonly last: number;
}

export interface NumberRange {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
}

const RANGE = /^\s*(?:(\d{1,15})\s*(?:(-)\s*(\d{1,15})?)?|-\s*(\d{1,15}))\s*$/;

/**
 * Reads a range: `"120-180"` (both inclusive), `"120"`, `"120-"` (to the end) or `"-50"` (the last 50). A range that
 * ends after the last number ends there.
 */
export function parseRange(text: string, limits: RangeLimits): NumberRange {
  const { what, first, last } = limits;
  const match = RANGE.exec(text);
  if (match === null) throw rangeError(`${JSON.stringify(text.slice(0, 60))} is not a range of ${what}.`, limits);
  const [, start, dash, end, tail] = match;
  if (last < first) throw rangeError(`The result has no ${what}.`, limits);
  const from = tail === undefined ? Number(start) : Math.max(first, last + 1 - Number(tail));
  const to = end === undefined ? (dash === undefined && tail === undefined ? from : last) : Number(end);
  if (end !== undefined && to < from) throw rangeError(`The range ${text.trim()} ends before it starts.`, limits);
  if (from < first || from > last || Number(tail) === 0)
    throw rangeError(`The ${what} ${text.trim()} do not exist.`, limits);
  return { from, to: Math.min(to, last) };
}

function rangeError(message: string, { what, first, last }: RangeLimits): DiscoveryError {
  const existing = last < first ? "" : ` The result has the ${what} ${formatRange(first, last)}.`;
  return invalidRequest(
    `${message}${existing}`,
    `Write a range as "${first}-${first + 50}", "${first + 50}-" (to the end) or "-50" (the last 50).`,
  );
}

/** Numbers without separators, so that a model can copy them into the next call. */
export function formatRange(from: number, to: number): string {
  return from === to ? String(from) : `${from}-${to}`;
}
