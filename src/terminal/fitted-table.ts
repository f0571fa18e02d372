// A table that is written in parts. The first rows determine the column widths; later rows use the same widths.
import { cutToWidth, displayWidth } from "../util/terminal.js";
import { padToWidth } from "./columns.js";
import { dim, type Line, type LinePart, type LineStyle } from "./lines.js";

export interface FittedColumn<Row> {
  readonly title: string;
  /** Minimum width in terminal cells. */
  readonly min: number;
  readonly text: (row: Row) => string;
  readonly style?: (row: Row) => LineStyle | undefined;
}

export interface FittedTable<Row> {
  readonly heading: Line;
  rows(rows: readonly Row[]): Line[];
}

export interface FittedTableOptions<Row> {
  readonly columns: readonly FittedColumn<Row>[];
  /** Titles of columns that are truncated, in this order, if the table is too wide. */
  readonly truncated: readonly string[];
  /** Titles of columns that are omitted in this order if truncation is not enough. */
  readonly omitted: readonly string[];
  /** Width of the terminal. */
  readonly width: number;
}

type SizedColumn<Row> = FittedColumn<Row> & { readonly width: number };

const GAP = "  ";

export function createFittedTable<Row>(first: readonly Row[], options: FittedTableOptions<Row>): FittedTable<Row> {
  const shown = sizeColumns(first, options);
  const toLine = (cells: readonly LinePart[]): Line => ({
    indent: 0,
    verbatim: true,
    parts: cells.flatMap((cell, index) => [cell, GAP].slice(0, index === cells.length - 1 ? 1 : 2)),
  });
  const toCell = (row: Row, { text, style, width }: SizedColumn<Row>): LinePart => {
    const cell = padToWidth(cutToWidth(text(row), width), width);
    const drawn = style?.(row);
    return drawn === undefined ? cell : { style: drawn, text: cell };
  };
  return {
    heading: toLine(shown.map(({ title, width }) => dim(padToWidth(cutToWidth(title, width), width)))),
    rows: (rows) => rows.map((row) => toLine(shown.map((column) => toCell(row, column)))),
  };
}

function sizeColumns<Row>(
  rows: readonly Row[],
  { columns, truncated, omitted, width: available }: FittedTableOptions<Row>,
): SizedColumn<Row>[] {
  let sized = columns.map((column): SizedColumn<Row> => {
    const { title, min, text } = column;
    return { ...column, width: Math.max(min, displayWidth(title), ...rows.map((row) => displayWidth(text(row)))) };
  });
  const excess = (): number => sized.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length) - available;
  const minExcess = (): number =>
    excess() - sized.reduce((sum, { title, width, min }) => sum + (truncated.includes(title) ? width - min : 0), 0);
  for (const title of omitted) {
    if (minExcess() > 0) sized = sized.filter((column) => column.title !== title);
  }
  for (const title of truncated) {
    const spare = Math.max(excess(), 0);
    sized = sized.map((column) =>
      column.title === title ? { ...column, width: Math.max(column.min, column.width - spare) } : column,
    );
  }
  return sized;
}
