import { sanitize } from "./terminal.js";
import { cutAtWord, toOneLine } from "./text.js";

/** A piece of text that is in both texts, only in the old one, or only in the new one. */
export interface TextPiece {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** The maximum number of comparisons. If more are needed, the whole differing part counts as removed and added. */
const MAX_COMPARISONS = 1_000_000;

/**
 * Compares two texts by lines and sentences. Each piece includes the white space after it, so that joining the pieces
 * gives the texts.
 */
export function textDifference(before: string, after: string): TextPiece[] {
  const [old, now] = [toPieces(before), toPieces(after)];
  const [head, tail] = commonEnds(old, now);
  return [
    ...marked("same", old.slice(0, head)),
    ...middle(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...marked("same", old.slice(old.length - tail)),
  ];
}

function toPieces(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=[.!?]\s|\n)/u);
}

function marked(kind: TextPiece["kind"], texts: readonly string[]): TextPiece[] {
  return texts.map((text) => ({ kind, text }));
}

const CONTEXT = 20;
const MAX_EXCERPT_LENGTH = 80;

/** Summarizes a difference in one line: `"…old…" → "…new…"`, with some context around the differing characters. */
export function summarizeDifference(before: string | undefined, after: string | undefined): string {
  if (before === undefined) return `none → ${quote(after ?? "")}`;
  if (after === undefined) return `${quote(before)} → none`;
  const [head, tail] = commonEnds(before, after);
  return `${excerpt(before, head, tail)} → ${excerpt(after, head, tail)}`;
}

function excerpt(text: string, head: number, tail: number): string {
  const start = wordStart(text, Math.max(0, head - CONTEXT));
  const end = Math.min(text.length, text.length - tail + CONTEXT);
  const part = quote(text.slice(start, end).toWellFormed());
  return `${start > 0 ? "…" : ""}${part}${end < text.length ? "…" : ""}`;
}

function wordStart(text: string, from: number): number {
  if (from === 0) return 0;
  const space = text.indexOf(" ", from);
  return space === -1 || space >= from + CONTEXT ? from : space + 1;
}

function quote(text: string): string {
  return JSON.stringify(cutAtWord(sanitize(toOneLine(text.slice(0, 10 * MAX_EXCERPT_LENGTH))), MAX_EXCERPT_LENGTH));
}

/** The number of items or characters that two lists or texts have in common at their start, and at their end. */
function commonEnds(one: ArrayLike<string>, other: ArrayLike<string>): readonly [head: number, tail: number] {
  const shortest = Math.min(one.length, other.length);
  let head = 0;
  while (head < shortest && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return [head, tail];
}

/** Compares the part between the common start and the common end, by longest common subsequence. */
function middle(old: readonly string[], now: readonly string[]): TextPiece[] {
  if (old.length * now.length > MAX_COMPARISONS) return [...marked("removed", old), ...marked("added", now)];
  const common = lengthsOfCommon(old, now);
  const pieces: TextPiece[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      pieces.push(...marked("same", old.slice(i, i + 1)));
      i += 1;
      j += 1;
    } else if ((common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) {
      pieces.push(...marked("removed", old.slice(i, i + 1)));
      i += 1;
    } else {
      pieces.push(...marked("added", now.slice(j, j + 1)));
      j += 1;
    }
  }
  return [...pieces, ...marked("removed", old.slice(i)), ...marked("added", now.slice(j))];
}

/** For each pair of positions, the length of the longest common subsequence of the pieces from there on. */
function lengthsOfCommon(old: readonly string[], now: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const [row, below] = [table[i], table[i + 1]];
    if (row === undefined || below === undefined) continue;
    for (let j = now.length - 1; j >= 0; j -= 1) {
      row[j] = old[i] === now[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}
