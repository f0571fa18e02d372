// Lays out a table for the width of the terminal. A cell that is too long is truncated with an ellipsis.
import { cutToWidth, displayWidth, sanitize } from "../util/terminal.js";
import { toOneLine } from "../util/text.js";
import type { Line, LinePart, LineStyle } from "./lines.js";

export interface Column {
  readonly head: string;
  readonly align?: "right";
  /** Cells of this column may be truncated. */
  readonly isCut?: true;
}

export interface Cell {
  readonly text: string;
  readonly style?: LineStyle;
}

const GAP = 2;
const NARROWEST = 6;

/** `columns` is the width of the terminal; with `Infinity` nothing is truncated. */
export function tableLines(heads: readonly Column[], rows: readonly (readonly Cell[])[], columns: number): Line[] {
  const header = heads.map(({ head }): Cell => ({ text: head, style: "bold" }));
  const all = [header, ...rows].map((cells) => cells.map(({ text, ...rest }) => ({ text: clean(text), ...rest })));
  const wanted = heads.map((_, index) => Math.max(...all.map((cells) => displayWidth(cells[index]?.text ?? ""))));
  const widths = fit(heads, wanted, columns);
  return all.map((cells) => ({ indent: 0, parts: rowParts(cells, heads, widths), verbatim: true }));
}

function clean(text: string): string {
  return toOneLine(sanitize(text));
}

/** Narrows the widest column that may be truncated, one character at a time, until the table fits. */
function fit(heads: readonly Column[], wanted: readonly number[], columns: number): number[] {
  const widths = [...wanted];
  const cut = heads.flatMap(({ isCut }, index) => (isCut ? [index] : []));
  let excess = widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1)) - columns;
  while (excess > 0) {
    const widest = Math.max(...cut.map((index) => widths[index] ?? 0));
    const index = widths.findIndex((width, at) => cut.includes(at) && width === widest);
    if (index === -1 || widest <= NARROWEST) break;
    widths[index] = widest - 1;
    excess -= 1;
  }
  return widths;
}

function rowParts(cells: readonly Cell[], heads: readonly Column[], widths: readonly number[]): LinePart[] {
  return cells.flatMap(({ text, style }, index) => {
    const width = widths[index] ?? 0;
    const shown = cutToWidth(text, width);
    const space = " ".repeat(Math.max(width - displayWidth(shown), 0));
    const part: LinePart = style === undefined ? shown : { style, text: shown };
    const gap = index === 0 ? "" : " ".repeat(GAP);
    return heads[index]?.align === "right" ? [gap + space, part] : [gap, part, space];
  });
}

/** Adds spaces up to the width in terminal cells. */
export function padToWidth(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(width - displayWidth(text), 0));
  return align === "right" ? `${space}${text}` : `${text}${space}`;
}
