/**
 * @typedef {object} Line one measured figure
 * @property {string} what
 * @property {number} value
 * @property {string} unit
 * @property {{ low: number, high: number }} [spread] p10 and p90, unless the note says otherwise
 * @property {{ name: string, value: number }} [baseline] measured in the same run, in the same unit
 * @property {number} [ratio]
 * @property {{ most?: number, least?: number, of?: "value" | "ratio" }} [budget]
 * @property {string} [note]
 */

/** `ok`, `over` or `under`; empty if the line has no budget. */
export function verdictOf({ value, ratio, budget }) {
  if (budget === undefined) return "";
  const measured = budget.of === "ratio" ? ratio : value;
  if (budget.most !== undefined && !(measured <= budget.most)) return "over";
  if (budget.least !== undefined && !(measured >= budget.least)) return "under";
  return "ok";
}

const HEADINGS = ["what", "measured", "spread", "baseline", "ratio", "budget", "verdict"];

export function toTable(lines) {
  return toAlignedText([HEADINGS, ...lines.map(toCells)]);
}

/** Aligns rows of cells in columns and underlines the first row. */
export function toAlignedText(cells) {
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const text = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
  text.splice(1, 0, widths.map((width) => "-".repeat(width)).join("  "));
  return text.join("\n");
}

/** Notes are printed below the table, because they would not fit into its lines. */
export function toNotes(lines) {
  const notes = lines.filter(({ note }) => note !== undefined).map(({ what, note }) => `  ${what}: ${note}`);
  return notes.length === 0 ? "" : ["", "Notes", ...notes].join("\n");
}

function toCells(line) {
  const { what, value, unit, spread, baseline, ratio, budget } = line;
  return [
    what,
    `${toFigure(value)} ${unit}`,
    spread === undefined ? "" : `${toFigure(spread.low)} to ${toFigure(spread.high)}`,
    baseline === undefined ? "" : `${toFigure(baseline.value)} ${baseline.name}`,
    ratio === undefined ? "" : `${toFigure(ratio)}×`,
    budget === undefined ? "" : budgetText(budget, unit),
    verdictOf(line),
  ];
}

function budgetText({ most, least, of }, unit) {
  const suffix = of === "ratio" ? "×" : ` ${unit}`;
  return most === undefined ? `≥ ${least}${suffix}` : `≤ ${most}${suffix}`;
}

/** Three significant digits. */
export function toFigure(value) {
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en-US");
  if (Math.abs(value) >= 100) return value.toFixed(0);
  if (Math.abs(value) >= 10) return value.toFixed(1);
  return value.toFixed(Math.abs(value) >= 0.1 ? 2 : 4);
}
