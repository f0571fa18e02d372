// Rows of cells come in; lines that fit the terminal go out. A cell that is too long is cut and ends with an ellipsis.
import { cutToWidth, displayWidth, sanitize } from "../../util/terminal.js";
import { toOneLine } from "../../util/text.js";
import type { Line, Part, Style } from "./lines.js";

export interface Column {
  readonly head: string;
  readonly align?: "right";
  /** Columns that may be cut, those with the highest number first; without it the column keeps its width. */
  readonly yields?: number;
}

export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

const GAP = 2;
const NARROWEST = 6;

/** `columns` is the width of the terminal; `Infinity` cuts nothing. */
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

function fit(heads: readonly Column[], wanted: readonly number[], columns: number): number[] {
  const widths = [...wanted];
  let excess = widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1)) - columns;
  const yielding = heads
    .map(({ yields = 0 }, index) => ({ yields, index }))
    .filter(({ yields }) => yields > 0)
    .sort((one, other) => other.yields - one.yields);
  for (const { index } of yielding) {
    const width = widths[index] ?? 0;
    const spared = Math.min(Math.max(excess, 0), Math.max(width - NARROWEST, 0));
    widths[index] = width - spared;
    excess -= spared;
  }
  return widths;
}

function rowParts(cells: readonly Cell[], heads: readonly Column[], widths: readonly number[]): Part[] {
  return cells.flatMap(({ text, style }, index) => {
    const width = widths[index] ?? 0;
    const shown = cutToWidth(text, width);
    const space = " ".repeat(Math.max(width - displayWidth(shown), 0));
    const part: Part = style === undefined ? shown : { style, text: shown };
    const gap = index === 0 ? "" : " ".repeat(GAP);
    return heads[index]?.align === "right" ? [gap + space, part] : [gap, part, space];
  });
}
