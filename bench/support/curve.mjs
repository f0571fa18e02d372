import { growthOf, toPower } from "./growth.mjs";
import { toAlignedText, toFigure } from "./report.mjs";
import { median, spreadOf } from "./statistics.mjs";

/**
 * @typedef {object} Point one figure at one size
 * @property {number} x
 * @property {number} value
 * @property {{ low: number, high: number }} [spread] p10 and p90 over the rounds
 * @property {{ name: string, value: number }} [baseline] of the same run, in the same unit
 * @property {number} [ratio]
 *
 * @typedef {{ name: string, points: Point[] }} Series
 * @typedef {{ title: string, unit: string, series: Series[] }} Panel figures that share an axis
 * @typedef {{ name: string, title: string, x: string, panels: Panel[], notes: string[] }} Curve how cost grows with one size
 */

/** The median of the rounds, with the median of the baseline's rounds. */
export function toPoint(x, values, baseline) {
  const value = median(values);
  const point = { x, value, spread: spreadOf(values) };
  if (baseline === undefined) return point;
  const compared = median(baseline.values);
  return { ...point, baseline: { name: baseline.name, value: compared }, ratio: value / compared };
}

/** One table per panel: a line for each series, a column for each size, and a column for the growth. */
export function toCurveText({ name, title, x, panels, notes }) {
  const tables = panels.map((panel) => `${panel.title}, ${panel.unit}\n${toAlignedText(toCells(panel, x))}`);
  const remarks = notes.length === 0 ? [] : [notes.map((note) => `  ${note}`).join("\n")];
  return [`${name}: ${title}`, ...tables, ...remarks].join("\n\n");
}

function toCells({ series }, x) {
  const sizes = [...new Set(series.flatMap(({ points }) => points.map((point) => point.x)))].sort((a, b) => a - b);
  const head = [x, ...sizes.map((size) => size.toLocaleString("en-US")), "growth", "last step"];
  return [head, ...series.flatMap((one) => toRows(one, sizes))];
}

function toRows({ name, points }, sizes) {
  const at = (size, toText) => {
    const point = points.find(({ x }) => x === size);
    return point === undefined ? "" : toText(point);
  };
  const growth = growthOf(points);
  const powers = growth === undefined ? ["", ""] : [toPower(growth.overall), toPower(growth.last)];
  const rows = [[name, ...sizes.map((size) => at(size, toMeasured)), ...powers]];
  const baseline = points.find((point) => point.baseline !== undefined)?.baseline;
  const toRatio = ({ ratio }) => (ratio === undefined ? "" : `${toFigure(ratio)}×`);
  if (baseline !== undefined)
    rows.push([`  against ${baseline.name}`, ...sizes.map((size) => at(size, toRatio)), "", ""]);
  return rows;
}

function toMeasured({ value, spread }) {
  if (spread === undefined || spread.low === spread.high) return toFigure(value);
  return `${toFigure(value)} (${toFigure(spread.low)} to ${toFigure(spread.high)})`;
}

/** The curve with the growth of each series added, for the report. */
export function withGrowth({ panels, ...rest }) {
  const toGrown = (one) => ({ ...one, growth: growthOf(one.points) ?? null });
  return { ...rest, panels: panels.map((panel) => ({ ...panel, series: panel.series.map(toGrown) })) };
}
