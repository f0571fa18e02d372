import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const LONGEST_TOLD = 300;

/** The result of a row, with its verdict and the statistical bounds that follow from it. */
export function judge({ name, group, ids }, { title, n, injected, violations, gates, figures, times, stock }, seconds) {
  return {
    name,
    group,
    ids,
    title,
    n,
    injected,
    violations: violations.map(toTold),
    ...(gates === undefined || gates.length === 0 ? {} : { gates }),
    figures,
    ...(times === undefined ? {} : { times: toTimes(times) }),
    ...(stock === undefined ? {} : { stock }),
    seconds: Math.round(seconds),
    // Rule of three: no violation in n cases bounds the rate at 3/n with 95 % confidence.
    bound_per_case: violations.length === 0 && n > 0 ? 3 / n : null,
    bound_per_fault: violations.length === 0 && injected > 0 ? 3 / injected : null,
    verdict: violations.length === 0 && n > 0 ? "held" : "broken",
  };
}

/** Shortens a violation for the report file and removes local paths and tokens, because the report is published. */
export function toTold(violation) {
  return violation
    .replaceAll(ROOT, "")
    .replaceAll(/\bagt_\w+/g, "agt_…")
    .split("\n", 1)[0]
    .slice(0, LONGEST_TOLD);
}

/** The gates of all rows, each with its row; a report of an earlier version has none. */
export function toGates(results) {
  return results.flatMap(({ name, gates = [] }) => gates.map((gate) => ({ row: name, ...gate })));
}

/** How many gates of a run are met, not met and not judged. */
export function countGates(gates) {
  const count = (wanted) => gates.filter(({ verdict }) => verdict === wanted).length;
  return `Timing limits: ${count("met")} met, ${count("not met")} not met, ${count("not judged")} not judged`;
}

/** The faults that no row injects, with the reason. */
export function toUntried(groups) {
  return Object.values(groups).flatMap(({ untried }) =>
    Object.entries(untried).map(([id, reason]) => ({ id, reason })),
  );
}

function toTimes({ of, ms }) {
  const sorted = ms.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? null;
  return { of, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? null };
}

const toPercent = (share) => (share === null ? "" : `≤ ${Number((Math.min(share, 1) * 100).toPrecision(2))} %`);

const toMs = (ms) => (ms === null ? "" : Number(ms.toPrecision(3)));

/** One line per row. The bounds are violations per case and per fault, for rows without violations. */
export function toTable(results) {
  const head = ["row", "n", "faults", "violations", "95 % per case", "per fault", "p50 / p99 / max ms", "verdict"];
  const lines = results.map((row) =>
    [
      `${row.name} (${row.ids.join(", ")})`,
      row.n,
      row.injected,
      row.violations.length,
      toPercent(row.bound_per_case),
      toPercent(row.bound_per_fault),
      row.times === undefined ? "" : [row.times.p50, row.times.p99, row.times.max].map(toMs).join(" / "),
      row.verdict,
    ].map(String),
  );
  const isLeft = (column) => column === 0 || column === head.length - 1;
  const widths = head.map((word, column) => Math.max(word.length, ...lines.map((line) => line[column].length)));
  const toLine = (cells) =>
    cells
      .map((cell, column) => (isLeft(column) ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join("  ")
      .trimEnd();
  return [toLine(head), ...lines.map(toLine), "", ...results.flatMap(toRemarks), ...tellGates(toGates(results))].join(
    "\n",
  );
}

/** Lists the gates that were not met or not judged. On a busy machine they can be missed without a defect. */
function tellGates(gates) {
  if (gates.length === 0) return [];
  const open = gates.filter(({ verdict }) => verdict !== "met");
  const lines = open.map(
    ({ row, of, allowed, seen, verdict }) => `  ${row}, ${of}: ${verdict}, ${seen} for ${allowed}`,
  );
  return ["", `${countGates(gates)}.`, ...lines];
}

function toRemarks({ name, figures, times, stock }) {
  const list = (found) => Object.entries(found).map(([key, value]) => `${key} ${value}`);
  const said = [...list(figures), ...(times === undefined ? [] : [`times measure ${times.of}`])];
  return [
    ...(said.length === 0 ? [] : [`${name}: ${said.join(", ")}`]),
    ...(stock === undefined ? [] : [`${name}, official SDK: ${list(stock).join(", ")}`]),
  ];
}
