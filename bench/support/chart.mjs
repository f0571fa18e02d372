// Draws a curve as one SVG file: a grid of panels with logarithmic axes. The file has its own background, so that it is
// readable on a page of any colour, and follows the reader's colour scheme if the host page allows it.
import { growthOf, toPower } from "./growth.mjs";
import { createScale, toTick } from "./scale.mjs";

const PANEL = { width: 470, plotHeight: 250, left: 62, right: 18, top: 40, legendLine: 18 };
const MARGIN = { top: 52, side: 16, bottom: 14 };
const SHAPES = ["circle", "square", "triangle", "diamond", "cross", "ring"];

const STYLE = `
text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}
.title{font-size:16px;font-weight:600}.head{font-weight:600}.small{font-size:11px;fill:#59636e}
.page{fill:#ffffff;stroke:#d1d9e0}.frame{fill:none;stroke:#818b98}.grid{stroke:#d1d9e0;stroke-width:1}
.line{fill:none;stroke-width:2}.base{fill:none;stroke-width:1.3;stroke-dasharray:4 4;opacity:.75}.spread{stroke-width:1.2;opacity:.8}
${toColours(["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#9a6700", "#bf3989"])}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9198a1}.page{fill:#0d1117;stroke:#3d444d}
.frame{stroke:#656c76}.grid{stroke:#2a313c}
${toColours(["#4493f8", "#f0883e", "#3fb950", "#ab7df8", "#d29922", "#db61a2"])}}`;

function toColours(colours) {
  return colours
    .map((colour, index) => `.s${index}{stroke:${colour}}.f${index}{fill:${colour};stroke:${colour}}`)
    .join("");
}

/** @param {import("./curve.mjs").Curve} curve */
export function toChart(curve) {
  const columns = Math.min(curve.panels.length, 2);
  const rows = Array.from({ length: Math.ceil(curve.panels.length / columns) }, (_, row) =>
    curve.panels.slice(row * columns, (row + 1) * columns),
  );
  const width = columns * PANEL.width + 2 * MARGIN.side;
  let top = MARGIN.top;
  const drawn = [];
  for (const row of rows) {
    for (const [column, panel] of row.entries())
      drawn.push(
        `<g transform="translate(${MARGIN.side + column * PANEL.width} ${top})">${toPanel(panel, curve.x)}</g>`,
      );
    top += Math.max(...row.map(heightOf));
  }
  const height = top + MARGIN.bottom;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${escape(curve.title)}</title>
<desc id="description">${escape(describe(curve))}</desc>
<style>${STYLE}</style>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
<text class="title" x="${MARGIN.side}" y="25">${escape(curve.title)}</text>
<text class="small" x="${MARGIN.side}" y="43">median, bars from p10 to p90; dashed: the baseline of the same run; n^e: how it grows over all sizes, and over the last step</text>
${drawn.join("\n")}
</svg>
`;
}

/** The text for screen readers: each series from its first to its last point. */
function describe({ x, panels }) {
  const descriptions = panels.flatMap(({ unit, series }) =>
    series.map(({ name, points }) => {
      const [first, last] = [points[0], points.at(-1)];
      const ends = `from ${toTick(first.value)} ${unit} at ${toTick(first.x)} to ${toTick(last.value)} ${unit} at ${toTick(last.x)}`;
      return `${name}: ${ends}`;
    }),
  );
  return `Logarithmic axes over the ${x}. ${descriptions.join("; ")}.`;
}

function heightOf({ series }) {
  return PANEL.top + PANEL.plotHeight + 44 + PANEL.legendLine * series.length;
}

function toPanel({ title, unit, series }, label) {
  const right = PANEL.width - PANEL.right;
  const bottom = PANEL.top + PANEL.plotHeight;
  const points = series.flatMap((one) => one.points);
  const x = createScale(
    points.map((point) => point.x),
    [PANEL.left, right],
  );
  const heights = points.flatMap(({ value, spread, baseline }) => [value, spread?.low, spread?.high, baseline?.value]);
  const y = createScale(heights, [bottom, PANEL.top]);
  return [
    `<text class="head" x="${PANEL.left}" y="${PANEL.top - 14}">${escape(title)}, ${escape(unit)}</text>`,
    ...x.ticks.map(
      (tick) =>
        `<line class="grid" x1="${x.at(tick)}" x2="${x.at(tick)}" y1="${PANEL.top}" y2="${bottom}"/><text class="small" x="${x.at(tick)}" y="${bottom + 15}" text-anchor="middle">${toTick(tick)}</text>`,
    ),
    ...y.ticks.map(
      (tick) =>
        `<line class="grid" x1="${PANEL.left}" x2="${right}" y1="${y.at(tick)}" y2="${y.at(tick)}"/><text class="small" x="${PANEL.left - 6}" y="${y.at(tick) + 4}" text-anchor="end">${toTick(tick)}</text>`,
    ),
    `<rect class="frame" x="${PANEL.left}" y="${PANEL.top}" width="${right - PANEL.left}" height="${PANEL.plotHeight}"/>`,
    `<text class="small" x="${(PANEL.left + right) / 2}" y="${bottom + 30}" text-anchor="middle">${escape(label)}</text>`,
    ...series.map((one, index) => toSeries(one, index, { x, y })),
    ...series.map((one, index) => toLegend(one, index, bottom + 50 + index * PANEL.legendLine)),
  ].join("\n");
}

/** Values of zero or less cannot be drawn on a logarithmic axis. The table contains them. */
function toSeries({ points }, index, { x, y }) {
  const placed = points
    .filter(({ value }) => value > 0)
    .map((point) => ({ ...point, left: x.at(point.x), top: y.at(point.value) }));
  const based = points.filter(({ baseline }) => baseline !== undefined && baseline.value > 0);
  const path = (list) => list.map(([left, top], at) => `${at === 0 ? "M" : "L"}${left} ${top}`).join("");
  const bars = placed
    .filter(({ spread }) => spread !== undefined && spread.low > 0)
    .map(
      ({ left, spread }) =>
        `<line class="spread s${index}" x1="${left}" x2="${left}" y1="${y.at(spread.low)}" y2="${y.at(spread.high)}"/>`,
    );
  return [
    `<path class="base s${index}" d="${path(based.map((point) => [x.at(point.x), y.at(point.baseline.value)]))}"/>`,
    `<path class="line s${index}" d="${path(placed.map(({ left, top }) => [left, top]))}"/>`,
    ...bars,
    ...placed.map(({ left, top }) => toMark(index, left, top)),
  ].join("");
}

function toMark(index, x, y) {
  const fill = `class="f${index}"`;
  const line = `class="s${index}" fill="none" stroke-width="2"`;
  const marks = {
    circle: `<circle ${fill} cx="${x}" cy="${y}" r="4"/>`,
    square: `<rect ${fill} x="${x - 3.5}" y="${y - 3.5}" width="7" height="7"/>`,
    triangle: `<path ${fill} d="M${x} ${y - 4.5}L${x + 4.5} ${y + 3.5}L${x - 4.5} ${y + 3.5}Z"/>`,
    diamond: `<path ${fill} d="M${x} ${y - 5}L${x + 5} ${y}L${x} ${y + 5}L${x - 5} ${y}Z"/>`,
    cross: `<path ${line} d="M${x - 4} ${y - 4}L${x + 4} ${y + 4}M${x + 4} ${y - 4}L${x - 4} ${y + 4}"/>`,
    ring: `<circle ${line} cx="${x}" cy="${y}" r="4"/>`,
  };
  return marks[SHAPES[index % SHAPES.length]];
}

function toLegend({ name, points }, index, y) {
  const growth = growthOf(points);
  const power = growth === undefined ? "" : `${toPower(growth.overall)}, ${toPower(growth.last)}`;
  const baseline = points.find((point) => point.baseline !== undefined)?.baseline;
  const dashed = baseline === undefined ? "" : ` (dashed: ${baseline.name})`;
  return `<path class="line s${index}" d="M${PANEL.left} ${y - 4}h22"/>${toMark(index, PANEL.left + 11, y - 4)}<text x="${PANEL.left + 30}" y="${y}">${escape(name)}<tspan class="small" dx="8">${escape(`${power}${dashed}`)}</tspan></text>`;
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
