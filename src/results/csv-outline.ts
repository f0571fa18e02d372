const DELIMITERS = [",", "\t", ";", "|"] as const;
const NAMES: Readonly<Record<string, string>> = { ",": "comma", "\t": "tab", ";": "semicolon", "|": "|" };
const SAMPLED_LINES = 24;
const MIN_LINES = 4;
const MAX_NAMED_COLUMNS = 60;
const MAX_NAME_CHARACTERS = 40;

/**
 * Describes a text that is a table with a delimiter, such as CSV: its rows and its columns. Returns undefined for other
 * texts. `line` counts from 0.
 */
export function describeCsv(count: number, line: (index: number) => string): string | undefined {
  if (count < MIN_LINES) return undefined;
  const step = Math.max(1, Math.floor(count / SAMPLED_LINES));
  const sample: string[] = [];
  for (let at = 1; at < count; at += step) sample.push(line(at));
  const head = line(0);
  for (const delimiter of DELIMITERS) {
    const names = splitCells(head, delimiter);
    const isNamed =
      names.length > 1 && names.every((name) => name.length <= MAX_NAME_CHARACTERS && !/[.!?]$/.test(name));
    if (!isNamed) continue;
    const matching = sample.filter((row) => splitCells(row, delimiter).length === names.length).length;
    // A comma is also a punctuation mark: two columns alone are no sign of a table.
    if (matching < sample.length * 0.9 || (names.length === 2 && delimiter === "," && matching < sample.length))
      continue;
    const shown = names.slice(0, MAX_NAMED_COLUMNS).join(" | ");
    const more = names.length > MAX_NAMED_COLUMNS ? ` and ${names.length - MAX_NAMED_COLUMNS} more` : "";
    const rows = (count - 1).toLocaleString("en-US");
    return `Table (delimiter: ${NAMES[delimiter]}) with ${rows} rows in the lines 2-${count} and ${names.length} columns: ${shown}${more}`;
  }
  return undefined;
}

/** The cells of a line. Delimiters between double quotes do not count. */
function splitCells(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (const character of line.trimEnd()) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      cells.push(cell.trim());
      cell = "";
    } else cell += character;
  }
  cells.push(cell.trim());
  return cells;
}
