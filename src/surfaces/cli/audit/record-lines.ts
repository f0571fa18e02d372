import { displayWidth, sanitize } from "../../../util/terminal.js";
import { dim, type Line, type Part, type Style } from "../lines.js";
import type { ShownRecord } from "./records.js";

interface Column {
  readonly title: string;
  /** In cells, as long as nothing wider is in the first records. */
  readonly least: number;
  readonly text: (record: ShownRecord) => string;
  readonly style?: (record: ShownRecord) => Style | undefined;
}

const STYLES: Readonly<Record<string, Style>> = {
  ok: "green",
  error: "red",
  tool_error: "yellow",
  unknown: "yellow",
  intent: "dim",
};

const COLUMNS: readonly Column[] = [
  { title: "TIME", least: 20, text: ({ timestamp }) => toSeconds(timestamp) },
  { title: "ACTOR", least: 5, text: ({ actor_id: actor, by }) => toCell(actor ?? by) },
  { title: "SURFACE", least: 7, text: ({ surface }) => toCell(surface) },
  { title: "TOOL", least: 20, text: whatOf },
  { title: "RISK", least: 6, text: ({ risk }) => toCell(risk) },
  { title: "OUTCOME", least: 8, text: howOf, style: (record) => STYLES[howOf(record)] },
  { title: "CODE", least: 4, text: ({ error_code: code }) => toCell(code) },
  { title: "MS", least: 2, text: ({ duration_ms: ms }) => (typeof ms === "number" ? String(Math.round(ms)) : "") },
];

/** A table that is written a few rows at a time: what comes later keeps the columns of the first rows. */
export interface RecordTable {
  readonly heading: Line;
  rows(records: readonly ShownRecord[]): Line[];
}

const GAP = "  ";

/** `columns`: how wide the terminal is; tool ids and actors are cut to fit it. */
export function createRecordTable(first: readonly ShownRecord[], columns: number): RecordTable {
  const widths = COLUMNS.map(({ title, least, text }) =>
    Math.max(least, displayWidth(title), ...first.map((record) => displayWidth(text(record)))),
  );
  shrink(widths, columns);
  const toLine = (cells: readonly Part[]): Line => ({
    indent: 0,
    verbatim: true,
    parts: cells.flatMap((cell, index) => [cell, GAP].slice(0, index === cells.length - 1 ? 1 : 2)),
  });
  return {
    heading: toLine(COLUMNS.map(({ title }, index) => dim(fit(title, widths[index] ?? 0)))),
    rows: (records) =>
      records.map((record) =>
        toLine(
          COLUMNS.map(({ text, style }, index): Part => {
            const cell = fit(text(record), widths[index] ?? 0);
            const drawn = style?.(record);
            return drawn === undefined ? cell : { style: drawn, text: cell };
          }),
        ),
      ),
  };
}

/** What has the widest texts gives way: the tool, then the actor, then the code. */
function shrink(widths: number[], columns: number): void {
  for (const index of [3, 1, 6]) {
    const excess = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - columns;
    if (excess > 0) widths[index] = Math.max(COLUMNS[index]?.least ?? 0, (widths[index] ?? 0) - excess);
  }
}

function fit(text: string, width: number): string {
  let used = displayWidth(text);
  if (used <= width) return text + " ".repeat(width - used);
  let kept = "";
  used = 0;
  for (const character of text) {
    used += displayWidth(character);
    if (used > width - 1) break;
    kept += character;
  }
  return fit(`${kept}…`, width);
}

function whatOf({ kind, tool_id: tool, action, subject, archive, body }: ShownRecord): string {
  if (kind === "note") return [action, subject, tool].map(toCell).filter(Boolean).join(" ");
  if (kind === "rotation") return `moved to ${toCell(archive)}`;
  return toCell(tool ?? body);
}

function howOf({ kind, outcome }: ShownRecord): string {
  return toCell(outcome ?? kind);
}

function toSeconds(timestamp: unknown): string {
  const text = toCell(timestamp);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/.test(text) ? `${text.slice(0, 19)}Z` : text;
}

/** One line, whatever is in it. */
function toCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return sanitize(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
