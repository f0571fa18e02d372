import { cutToWidth, displayWidth, sanitize } from "../../../util/terminal.js";
import { dim, type Line, type LinePart, type LineStyle } from "../../../terminal/lines.js";
import type { ShownRecord } from "../../../operations/audit/records.js";

interface Column {
  readonly title: string;
  /** Minimum width in terminal cells. */
  readonly least: number;
  readonly text: (record: ShownRecord) => string;
  readonly style?: (record: ShownRecord) => LineStyle | undefined;
}

const STYLES: Readonly<Record<string, LineStyle>> = {
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

/** A table that is written in parts. The first records determine the column widths; later rows use the same widths. */
export interface RecordTable {
  readonly heading: Line;
  rows(records: readonly ShownRecord[]): Line[];
}

const GAP = "  ";

/** `columns` is the width of the terminal. Tools and actors are truncated to fit, then columns are omitted. */
export function createRecordTable(first: readonly ShownRecord[], columns: number): RecordTable {
  const shown = fitColumns(first, columns);
  const toLine = (cells: readonly LinePart[]): Line => ({
    indent: 0,
    verbatim: true,
    parts: cells.flatMap((cell, index) => [cell, GAP].slice(0, index === cells.length - 1 ? 1 : 2)),
  });
  return {
    heading: toLine(shown.map(({ title, width }) => dim(fit(title, width)))),
    rows: (records) =>
      combineSignatures(records).map((record) =>
        toLine(
          shown.map(({ text, style, width }): LinePart => {
            const cell = fit(text(record), width);
            const drawn = style?.(record);
            return drawn === undefined ? cell : { style: drawn, text: cell };
          }),
        ),
      ),
  };
}

const SIGNED = "sign_tool_file";

/** `discover` signs one file per tool: consecutive signatures by the same actor are combined into one row. */
function combineSignatures(records: readonly ShownRecord[]): ShownRecord[] {
  const isSigned = ({ kind, action }: ShownRecord): boolean => kind === "note" && action === SIGNED;
  const rows: { record: ShownRecord; files: number }[] = [];
  for (const record of records) {
    const last = rows.at(-1);
    if (last !== undefined && isSigned(last.record) && isSigned(record) && last.record["by"] === record["by"]) {
      last.files += 1;
    } else rows.push({ record, files: 1 });
  }
  return rows.map(({ record, files }) =>
    files === 1 ? record : { ...record, action: `${SIGNED} (${files} files)`, subject: record["subject"] },
  );
}

type FittedColumn = Column & { readonly width: number };

const CUT = ["TOOL", "ACTOR"];
const LEFT_OUT = ["SURFACE", "RISK", "ACTOR", "CODE"];

function fitColumns(records: readonly ShownRecord[], columns: number): FittedColumn[] {
  let fitted = COLUMNS.map((column): FittedColumn => {
    const { title, least, text } = column;
    return { ...column, width: Math.max(least, displayWidth(title), ...records.map((one) => displayWidth(text(one)))) };
  });
  const excess = (): number => fitted.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length) - columns;
  const leastExcess = (): number =>
    excess() - fitted.reduce((sum, { title, width, least }) => sum + (CUT.includes(title) ? width - least : 0), 0);
  for (const title of LEFT_OUT) {
    if (leastExcess() > 0) fitted = fitted.filter((column) => column.title !== title);
  }
  for (const title of CUT) {
    const spare = Math.max(excess(), 0);
    fitted = fitted.map((column) =>
      column.title === title ? { ...column, width: Math.max(column.least, column.width - spare) } : column,
    );
  }
  return fitted;
}

function fit(text: string, width: number): string {
  const shown = cutToWidth(text, width);
  return shown + " ".repeat(Math.max(width - displayWidth(shown), 0));
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

/** The value as text on one line. */
function toCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return sanitize(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
