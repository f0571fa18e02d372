// A table for a window of the terminal: rows are never wrapped, and columns that do not fit are omitted.
import { cutToWidth, displayWidth, sanitize } from "../util/terminal.js";
import { padToWidth } from "./columns.js";
import { dim, type Line, type LinePart, type LineStyle, type Styled, type StyledLine } from "./lines.js";

export interface WindowColumn<Row, Whole> {
  readonly heading: string;
  readonly width: number;
  /** In narrow windows, columns with the highest value are omitted first; 0 is never omitted. */
  readonly order: number;
  readonly isLeft?: true;
  readonly text: (row: Row, whole: Whole) => string;
  readonly style?: (row: Row) => LineStyle | undefined;
}

export interface WindowTableOptions<Row, Whole> {
  /** The first column. Its width depends on the names and on the space that is left. */
  readonly name: {
    readonly heading: string;
    readonly min: number;
    readonly max: number;
    readonly text: (row: Row) => string;
  };
  readonly columns: readonly WindowColumn<Row, Whole>[];
  /** Width of the window. */
  readonly width: number;
}

export interface WindowTable<Row> {
  readonly heading: Line;
  toRow(row: Row): Line;
}

/** Each column receives a row and `whole`, the data that does not belong to a single row. */
export function createWindowTable<Row, Whole>(
  rows: readonly Row[],
  whole: Whole,
  { name, columns, width }: WindowTableOptions<Row, Whole>,
): WindowTable<Row> {
  const needed = Math.max(displayWidth(name.heading), ...rows.map((row) => displayWidth(name.text(row))));
  const wanted = Math.min(needed, name.max);
  const min = Math.min(wanted, name.min);
  const nonEmpty = columns.filter(({ text }) => rows.some((row) => text(row, whole) !== ""));
  const chosen = withoutExcess(nonEmpty, width - min);
  const nameWidth = Math.max(min, Math.min(wanted, width - widthOf(chosen)));
  const headings = chosen.map((column) => padToWidth(column.heading, column.width, column.isLeft ? "left" : "right"));
  return {
    heading: windowRow([dim([padToWidth(name.heading, nameWidth), ...headings].join(" "))], width),
    toRow(row) {
      const cells = chosen.flatMap(({ width: cellWidth, isLeft, text, style }): LinePart[] => {
        const cell = padToWidth(text(row, whole), cellWidth, isLeft ? "left" : "right");
        const look = style?.(row);
        return [" ", look === undefined ? cell : { style: look, text: cell }];
      });
      return windowRow([padToWidth(truncate(sanitize(name.text(row)), nameWidth), nameWidth), ...cells], width);
    },
  };
}

type Sized = Pick<WindowColumn<never, never>, "width" | "order">;

function withoutExcess<Column extends Sized>(columns: readonly Column[], available: number): readonly Column[] {
  let chosen = columns;
  const highest = Math.max(0, ...columns.map(({ order }) => order));
  for (let order = highest; order > 0 && widthOf(chosen) > available; order -= 1) {
    chosen = chosen.filter((column) => column.order < order);
  }
  return chosen;
}

function widthOf(columns: readonly Sized[]): number {
  return columns.reduce((sum, { width }) => sum + width + 1, 0);
}

/** Truncates at the window's edge, because a wrapped line would push other lines out of the window. */
export function windowRow(parts: readonly LinePart[], width: number): StyledLine {
  let available = width;
  const fitting = parts.map((part): LinePart => {
    const text = sanitize(typeof part === "string" ? part : part.text).replaceAll(/\s/g, " ");
    const shown = truncate(text, available);
    available -= displayWidth(shown);
    return typeof part === "string" ? shown : ({ ...part, text: shown } satisfies Styled);
  });
  return { indent: 0, parts: fitting, verbatim: true };
}

function truncate(text: string, width: number): string {
  return width < 1 ? "" : cutToWidth(text, width);
}
