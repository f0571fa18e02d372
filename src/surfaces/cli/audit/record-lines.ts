import { createFittedTable, type FittedColumn, type FittedTable } from "../../../terminal/fitted-table.js";
import { sanitize } from "../../../util/terminal.js";
import type { LineStyle } from "../../../terminal/lines.js";
import { combineSignatures } from "../../../operations/audit/combine-signatures.js";
import type { ShownRecord } from "../../../operations/audit/records.js";

const STYLES: Readonly<Record<string, LineStyle>> = {
  ok: "green",
  error: "red",
  tool_error: "yellow",
  unknown: "yellow",
  intent: "dim",
};

const COLUMNS: readonly FittedColumn<ShownRecord>[] = [
  { title: "TIME", min: 20, text: ({ timestamp }) => toSeconds(timestamp) },
  { title: "ACTOR", min: 5, text: ({ actor_id: actor, by }) => toCell(actor ?? by) },
  { title: "SURFACE", min: 7, text: ({ surface }) => toCell(surface) },
  { title: "TOOL", min: 20, text: whatOf },
  { title: "RISK", min: 6, text: ({ risk }) => toCell(risk) },
  { title: "OUTCOME", min: 8, text: howOf, style: (record) => STYLES[howOf(record)] },
  { title: "CODE", min: 4, text: ({ error_code: code }) => toCell(code) },
  { title: "MS", min: 2, text: ({ duration_ms: ms }) => (typeof ms === "number" ? String(Math.round(ms)) : "") },
];

/** `width` is the width of the terminal. */
export function createRecordTable(first: readonly ShownRecord[], width: number): FittedTable<ShownRecord> {
  const table = createFittedTable(first, {
    columns: COLUMNS,
    truncated: ["TOOL", "ACTOR"],
    omitted: ["SURFACE", "RISK", "ACTOR", "CODE"],
    width,
  });
  return { heading: table.heading, rows: (records) => table.rows(combineSignatures(records)) };
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
