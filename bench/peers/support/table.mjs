/**
 * @typedef {object} Column
 * @property {string} key
 * @property {string} label
 * @property {"low" | "high"} [better] which values are better; without it nothing is compared
 * @property {number} [margin] by which share a value has to differ to count as better
 * @property {number} [grain] smaller differences are ignored
 * @property {number} [digits]
 *
 * @typedef {object} Row
 * @property {string} name
 * @property {Record<string, number | string | undefined>} cells a text is shown unchanged; a missing value is shown as a dash
 * @property {Record<string, string>} [notes] notes for cells, by key; the key "row" applies to the whole row
 */

export const OURS = "ours";

/** The cells in which another gateway is better than this one, as `row column`. */
export function betterThanOurs({ columns, rows }) {
  const own = rows.find(({ name }) => name === OURS);
  if (own === undefined) return [];
  return rows
    .filter(({ name, isBaseline }) => name !== OURS && isBaseline !== true)
    .flatMap((row) =>
      columns
        .filter((column) => isBetter(column, row.cells[column.key], own.cells[column.key]))
        .map(({ key }) => ({
          peer: row.name,
          column: key,
          value: row.cells[key],
          ours: own.cells[key],
        })),
    );
}

function isBetter({ better, margin = 0, grain = 0 }, value, ours) {
  if (better === undefined || typeof value !== "number" || typeof ours !== "number") return false;
  if (Math.abs(value - ours) < grain) return false;
  return better === "low" ? value < ours * (1 - margin) : value > ours * (1 + margin);
}

const MAX_NOTE_LENGTH = 240;

/** Shortens the error of a peer to one line, because it may be pages long. */
function shorten(note) {
  const line = note.replace(/\s+/g, " ");
  return line.length > MAX_NOTE_LENGTH ? `${line.slice(0, MAX_NOTE_LENGTH)}…` : line;
}

export function toText(table) {
  const { title, columns, rows } = table;
  const better = new Set(betterThanOurs(table).map(({ peer, column }) => `${peer} ${column}`));
  const footnotes = [];
  const mark = (note) => {
    if (note === undefined) return "";
    if (!footnotes.includes(note)) footnotes.push(note);
    return ` [${footnotes.indexOf(note) + 1}]`;
  };
  const cells = [
    ["", ...columns.map(({ label }) => label)],
    ...rows.map(({ name, cells: own, notes = {} }) => [
      `${name}${mark(notes.row)}`,
      ...columns.map((column) => {
        const star = better.has(`${name} ${column.key}`) ? "*" : "";
        return `${show(own[column.key], column)}${star}${mark(notes[column.key])}`;
      }),
    ]),
  ];
  const widths = cells[0].map((_, index) => Math.max(...cells.map((row) => row[index].length)));
  const lines = cells.map((row) =>
    row
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index]) : cell.padStart(widths[index])))
      .join("  ")
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => "-".repeat(width)).join("  "));
  const notes = [
    ...footnotes.map((note, index) => `  [${index + 1}] ${shorten(note)}.`),
    ...(table.notes ?? []).map((note) => `  ${note}`),
  ];
  return [title, "", ...lines, ...(better.size > 0 ? ["  * better than ours"] : []), ...notes].join("\n");
}

function show(value, { digits }) {
  if (value === undefined || value === null) return "–";
  if (typeof value === "string") return value;
  if (digits !== undefined) return value.toFixed(digits);
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
