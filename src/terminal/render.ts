// Turns lines into text for one terminal: removes control characters, wraps and colours. It does not depend on what the
// lines mean.
import picocolors from "picocolors";
import { displayWidth, sanitize } from "../util/terminal.js";
import { BAD, GOOD, type Line, type LinePart, type LineStyle, type StyledLine, WAITING, WARNING } from "./lines.js";
import type { TerminalIo } from "./terminal-io.js";

export interface RenderOptions {
  readonly columns: number;
  readonly color: boolean;
}

/** A word or a run of spaces, with its style. */
interface Piece {
  readonly text: string;
  readonly style: LineStyle | undefined;
}

const NARROWEST = 20;

export function render(lines: readonly Line[], options: RenderOptions): string {
  return lines.flatMap((line) => renderLine(line, options)).join("");
}

/**
 * Whether to colour an output. NO_COLOR (https://no-color.org) takes precedence over FORCE_COLOR, and both over the
 * terminal check.
 */
export function wantsColor(
  io: Pick<TerminalIo, "env" | "isTerminal">,
  output: "stdout" | "stderr",
  isForbidden: boolean,
): boolean {
  if (isForbidden || io.env["NO_COLOR"]) return false;
  const forced = io.env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return io.isTerminal[output] && io.env["TERM"] !== "dumb";
}

function renderLine(written: Line, options: RenderOptions): string[] {
  const line: StyledLine = typeof written === "string" ? { indent: 0, parts: [written] } : written;
  if (line.quotedLine) return renderQuoted(line, options);
  const { indent, parts, verbatim } = line;
  const { columns, color } = options;
  const width = verbatim ? Infinity : Math.max(columns, NARROWEST);
  const margin = " ".repeat(indent);
  const colors = picocolors.createColors(color);
  const hang = " ".repeat(startsWithMark(parts) ? MARK_WIDTH : 0);
  return splitLines(parts).flatMap((pieces) =>
    wrap(pieces, width - indent, hang.length).map((row, index) => {
      const text = row
        .map((piece) => (piece.style === undefined ? piece.text : colors[piece.style](piece.text)))
        .join("");
      return text === "" ? "\n" : `${margin}${index === 0 ? "" : hang}${text}\n`;
    }),
  );
}

const MARK_WIDTH = 2;

/** Whether a line starts with a mark such as ✓. Its continuation rows are aligned with the text after the mark. */
function startsWithMark([first]: readonly LinePart[]): boolean {
  return [GOOD, BAD, WARNING, WAITING].some((mark) => mark === first);
}

const BAR = "│ ";

/**
 * Renders quoted text. Breaks rows at the terminal's width, because rows wrapped by the terminal would lack the bar.
 */
function renderQuoted({ indent, parts }: StyledLine, { columns, color }: RenderOptions): string[] {
  const margin = " ".repeat(indent) + picocolors.createColors(color).dim(BAR);
  const width = Math.max(columns, NARROWEST) - indent - BAR.length;
  const text = sanitize(parts.map((part) => (typeof part === "string" ? part : part.text)).join(""));
  return text.split("\n").flatMap((row) => cutRow(row, width).map((piece) => `${margin}${piece}\n`));
}

function cutRow(row: string, width: number): string[] {
  const rows = [""];
  let used = 0;
  for (const character of row.replaceAll("\t", "\\t")) {
    const size = displayWidth(character);
    if (used + size > width) {
      rows.push("");
      used = 0;
    }
    rows[rows.length - 1] += character;
    used += size;
  }
  return rows;
}

function splitLines(parts: readonly LinePart[]): Piece[][] {
  const rows: Piece[][] = [[]];
  for (const part of parts) {
    const { text, style } = typeof part === "string" ? { text: part, style: undefined } : part;
    for (const [index, row] of sanitize(text).split("\n").entries()) {
      if (index > 0) rows.push([]);
      for (const piece of row.match(/\s+|\S+/gu) ?? []) rows.at(-1)?.push({ text: piece, style });
    }
  }
  return rows;
}

/** Greedy wrapping at spaces. A word that is too long for a row is not broken, so that it can be copied. */
function wrap(pieces: readonly Piece[], width: number, hang: number): Piece[][] {
  const rows: Piece[][] = [];
  let row: Piece[] = [];
  let used = 0;
  const words = joinTouching(pieces);
  for (const word of words) {
    const size = word.reduce((sum, piece) => sum + displayWidth(piece.text), 0);
    if (used > 0 && used + size > width - (rows.length === 0 ? 0 : hang) && !isSpace(word)) {
      rows.push(withoutTrailingSpace(row));
      row = [];
      used = 0;
    }
    if (used === 0 && rows.length > 0 && isSpace(word)) continue;
    row.push(...word);
    used += size;
  }
  rows.push(withoutTrailingSpace(row));
  return rows;
}

/**
 * Joins pieces without a space between them, such as a styled name and the comma after it, so that they wrap as one
 * word.
 */
function joinTouching(pieces: readonly Piece[]): Piece[][] {
  const words: Piece[][] = [];
  for (const piece of pieces) {
    const last = words.at(-1);
    if (last !== undefined && !isSpace(last) && !isSpace([piece])) last.push(piece);
    else words.push([piece]);
  }
  return words;
}

function isSpace(word: readonly Piece[]): boolean {
  return word.every(({ text }) => text.trim() === "");
}

function withoutTrailingSpace(row: readonly Piece[]): Piece[] {
  const end = row.findLastIndex(({ text }) => text.trim() !== "");
  return row.slice(0, end + 1);
}
