import { bold, count, line, type Line, verbatim } from "../../src/terminal/lines.js";
import type { Bin, Calibration, Confidence } from "./calibration.js";

/** A table of the stated relevance and the share of correct hits. */
export function calibrationLines({ queries, first, all, confident }: Calibration): Line[] {
  const heads = columns(["hits", "stated", "right", "raw stated", "right"]);
  const bound = confident.from.toFixed(1);
  return [
    line(0, bold("Reliability of relevance"), ` over ${count(queries, "answerable query", "answerable queries")}`),
    verbatim(2, `${" ".repeat(9)}${"  first hits".padEnd(heads.length)}  all hits`),
    verbatim(2, `${"stated".padEnd(9)}${heads}${heads}`),
    ...first.map((bin, number) => verbatim(2, `${boundsOf(bin)}${cellsOf(bin)}${cellsOf(all[number])}`)),
    line(2, `best hit at ${bound} or more: ${describe(confident.equal)}; raw: ${describe(confident.raw)}`),
    line(2, "All sets have the same weight; in the raw columns, all hits have."),
  ];
}

const WIDTHS = [6, 8, 7, 12, 7];

function columns(cells: readonly string[]): string {
  return cells.map((cell, index) => cell.padStart(WIDTHS[index] ?? 0)).join("");
}

function boundsOf({ from, to }: Bin): string {
  return `${from.toFixed(1)}–${to.toFixed(1)}`.padEnd(9);
}

function cellsOf(bin: Bin | undefined): string {
  if (bin?.equal === undefined || bin.raw === undefined) return columns(["0", "–", "–", "–", "–"]);
  const { hits, equal, raw } = bin;
  const shares = [equal.stated, equal.right, raw.stated, raw.right].map((value) => value.toFixed(3));
  return columns([String(hits), ...shares]);
}

function describe({ share, right }: Confidence): string {
  return `${percent(share)} of the queries, right in ${percent(right)} of them`;
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}
