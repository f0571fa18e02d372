import { estimateTokens } from "./estimate-tokens.js";
import { cutToTokens } from "./fit-tokens.js";
import type { LineIndex } from "./line-index.js";
import { formatRange, parseRange } from "./range.js";
import { describeNextCall, type ReadOptions, type ReadRequest } from "./read-request.js";
import type { Slices } from "./slices.js";
import type { ShownText } from "./view-result.js";

const LINES_PER_SLICE = 200;

/** Returns the lines of a range that fit into the budget, and the next range. */
export function* readLines(index: LineIndex, request: ReadRequest, options: ReadOptions): Slices<ShownText> {
  const { from, to } = parseRange(request.lines ?? "", { what: "lines", first: 1, last: index.count });
  const total = index.count.toLocaleString("en-US");
  // The next range continues to the end that was asked for, or with as many lines again.
  const footer = (last: number, cut: string): string => {
    const end = last < to ? to : Math.min(index.count, last + (to - from + 1));
    const next = { ...request, lines: formatRange(last + 1, end) };
    const more = last < index.count ? `. ${describeNextCall(options, next)}` : "";
    return `[lines ${formatRange(from, last)} of ${total}${cut}${more}]`;
  };
  const cutNote = ", cut because the line is longer than the budget; page reads all of it";
  const reserved = Math.max(estimateTokens(footer(from, cutNote)), estimateTokens(footer(to, ""))) + 2;
  let left = options.maxTokens - reserved;
  const lines: string[] = [];
  for (let number = from; number <= to; number += 1) {
    if (lines.length % LINES_PER_SLICE === LINES_PER_SLICE - 1) yield;
    const line = index.line(number);
    const tokens = estimateTokens(line) + 1;
    if (tokens > left) break;
    left -= tokens;
    lines.push(line);
  }
  if (lines.length > 0) return { text: lines.join("\n"), last: footer(from + lines.length - 1, "") };
  return { text: `${cutToTokens(index.line(from), left)}…`, last: footer(from, cutNote) };
}
