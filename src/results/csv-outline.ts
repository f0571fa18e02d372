import type { LineIndex } from "./line-index.js";
import type { Slices } from "./slices.js";

const DELIMITERS = [",", "\t", ";", "|"] as const;
const NAMES: Readonly<Record<string, string>> = { ",": "comma", "\t": "tab", ";": "semicolon", "|": "|" };
const MAX_SAMPLED_ROWS = 48;
const MIN_LINES = 4;
const MAX_HEAD_CHARACTERS = 100_000;
const MAX_NAMED_COLUMNS = 60;
const MAX_NAME_CHARACTERS = 60;
const LINES_PER_SLICE = 2000;

interface Rows {
  readonly count: number;
  readonly sample: readonly string[];
}

/**
 * Describes a text that is a table with a delimiter, such as CSV: its rows and its columns. A cell in quotes can have
 * several lines. Returns undefined for other texts.
 */
export function* describeCsv({ text, count }: LineIndex): Slices<string | undefined> {
  const end = text.indexOf("\n");
  if (count < MIN_LINES || end === -1 || end > MAX_HEAD_CHARACTERS) return undefined;
  const head = text.slice(0, end);
  let rows: Rows | undefined;
  for (const delimiter of DELIMITERS) {
    const names = splitCells(head, delimiter);
    if (names.length < 2 || !names.every(isColumnName)) continue;
    rows ??= yield* readRows(text, end + 1);
    const { sample } = rows;
    const matching = sample.filter((row) => splitCells(row, delimiter).length === names.length).length;
    // A comma is also a punctuation mark: two columns alone are no sign of a table.
    const needed = names.length === 2 && delimiter === "," ? sample.length : sample.length * 0.9;
    if (sample.length < MIN_LINES - 1 || matching < needed) continue;
    const shown = names.slice(0, MAX_NAMED_COLUMNS).join(" | ");
    const more = names.length > MAX_NAMED_COLUMNS ? ` and ${names.length - MAX_NAMED_COLUMNS} more` : "";
    const size = `${rows.count.toLocaleString("en-US")} rows in the lines 2-${count}`;
    return `Table (delimiter: ${NAMES[delimiter]}) with ${size} and ${names.length} columns: ${shown}${more}`;
  }
  return undefined;
}

/** Not a number, the end of a sentence, or a part of JSON. The column of an index can have an empty name. */
function isColumnName(name: string, order: number): boolean {
  return (
    (order === 0 && name === "") ||
    (name.length <= MAX_NAME_CHARACTERS && /^[^{}[\]]*\p{L}[^{}[\]]*(?<![.!?])$/u.test(name))
  );
}

/** The number of rows and some of them. A row ends at a line break that is not between double quotes. */
function* readRows(text: string, from: number): Slices<Rows> {
  const [quoted, plain] = [createSampler(), createSampler()];
  let start = from;
  let isOpen = false;
  let quote = text.indexOf('"', from);
  for (let line = from, lines = 0; line < text.length; lines += 1) {
    if (lines % LINES_PER_SLICE === LINES_PER_SLICE - 1) yield;
    const found = text.indexOf("\n", line);
    const end = found === -1 ? text.length : found;
    for (; quote !== -1 && quote < end; quote = text.indexOf('"', quote + 1)) isOpen = !isOpen;
    plain.add(text, line, end);
    line = end + 1;
    if (isOpen) continue;
    quoted.add(text, start, end);
    start = line;
  }
  // A quotation mark can also stand for inches. Then most rows would be in a pair of such marks.
  const { count } = quoted.rows();
  return count * 20 < plain.rows().count ? plain.rows() : quoted.rows();
}

interface Sampler {
  add(text: string, from: number, to: number): void;
  rows(): Rows;
}

function createSampler(): Sampler {
  let sample: string[] = [];
  let count = 0;
  let step = 1;
  return {
    add(text, from, to) {
      if (to === from || (to === from + 1 && text[from] === "\r")) return;
      count += 1;
      if (count % step !== 0) return;
      sample.push(text.slice(from, Math.min(to, from + MAX_HEAD_CHARACTERS)));
      if (sample.length < MAX_SAMPLED_ROWS) return;
      sample = sample.filter((_, at) => at % 2 === 1);
      step *= 2;
    },
    rows: () => ({ count, sample }),
  };
}

/** The cells of a row. Delimiters between double quotes do not count. */
function splitCells(row: string, delimiter: string): string[] {
  const cells: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < row.length; at += 1) {
    const character = row[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      cells.push(row.slice(from, at).trim());
      from = at + 1;
    }
  }
  cells.push(row.slice(from).trim());
  return cells;
}
