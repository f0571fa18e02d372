import { invalidRequest } from "../util/invalid-request.js";
import { estimateTokens } from "./estimate-tokens.js";
import { describeNextCall, type ReadOptions, type ReadRequest } from "./read-request.js";
import type { Slices } from "./slices.js";
import type { ShownText } from "./view-result.js";

const PIECE_CHARACTERS = 400;
const PIECES_PER_SLICE = 250;

/** Returns one page of a text, and the number of pages. The pages depend only on the text and the budget. */
export function* readPage(text: string, request: ReadRequest, options: ReadOptions): Slices<ShownText> {
  const { page = 1 } = request;
  const footer = (number: number, count: number): string => {
    const next = { ...request, page: number + 1 };
    return `[page ${number} of ${count}${number < count ? `. ${describeNextCall(options, next)}` : ""}]`;
  };
  const room = Math.max(20, options.maxTokens - estimateTokens(footer(100_000, 200_000)) - 2);
  const starts = yield* pageStarts(text, room);
  if (page > starts.length)
    throw invalidRequest(
      `Page ${page} does not exist. The text has ${starts.length} ${starts.length === 1 ? "page" : "pages"}.`,
      `Read a page from 1 to ${starts.length}.`,
    );
  return { text: text.slice(starts[page - 1], starts[page]), last: footer(page, starts.length) };
}

/** The offsets at which pages of at most `tokens` begin. */
export function* pageStarts(text: string, tokens: number): Slices<number[]> {
  const starts = [0];
  let left = tokens;
  let count = 0;
  for (let at = 0; at < text.length; ) {
    count += 1;
    if (count % PIECES_PER_SLICE === 0) yield;
    let end = pieceEnd(text, at, PIECE_CHARACTERS);
    let cost = estimateTokens(text.slice(at, end)) + 1;
    while (cost > tokens && end - at > 2) {
      end = pieceEnd(text, at, Math.ceil((end - at) / 2));
      cost = estimateTokens(text.slice(at, end)) + 1;
    }
    if (cost > left && at > 0) {
      starts.push(at);
      left = tokens;
    }
    left -= cost;
    at = end;
  }
  return starts;
}

/** A piece ends after a line break if there is one in its second half, and never inside a surrogate pair. */
function pieceEnd(text: string, from: number, characters: number): number {
  const end = from + characters;
  if (end >= text.length) return text.length;
  // Searched in the piece only: in a text without line breaks, each search would go back to its beginning.
  const line = text.slice(from, end).lastIndexOf("\n") + 1;
  if (line > characters / 2) return from + line;
  const isPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(end) & 0xfc00) === 0xdc00;
  return isPair ? end + 1 : end;
}
