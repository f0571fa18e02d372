// Writes the figures of the JSON files in docs/reports into the pages that show them. The text around the figures is written by hand.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toCurveText } from "../bench/support/curve.mjs";
import { toNotes, toTable } from "../bench/support/report.mjs";
import { toText } from "../bench/peers/support/table.mjs";
import { GROUPS, ROWS } from "../test/faults/rows.mjs";
import { countGates, toGates } from "../test/faults/support/report.mjs";
import { count, fenced, list, milliseconds, table } from "./proof/markdown.mjs";
import { budgetSummary, peerSummary } from "./proof/performance-summary.mjs";
import { gateSummary, rowSummary, soakSummary } from "./proof/reliability-summary.mjs";

const DOCS = new URL("../docs/", import.meta.url);

/** The generated sections of each page, with the JSON file that each section is written from. */
const SECTIONS = {
  "explanation/reliability.md": {
    rows: { report: "reliability", write: rowSummary },
    gates: { report: "reliability", write: gateSummary },
    soak: { report: "soak", write: soakSummary },
  },
  "explanation/performance.md": {
    budgets: { report: "bench", write: budgetSummary },
    peers: { report: "peers", write: peerSummary },
  },
  "reports/reliability.md": {
    rows: { report: "reliability", write: rowsMarkdown },
    gates: { report: "reliability", write: gatesMarkdown },
    fewer: { report: "reliability", write: fewerMarkdown },
    stock: { report: "reliability", write: stockMarkdown },
    untried: { report: "reliability", write: untriedMarkdown },
    soak: { report: "soak", write: soakMarkdown },
  },
  "reports/performance.md": {
    budgets: { report: "bench", write: benchMarkdown },
    curves: { report: "bench", write: curvesMarkdown },
    peers: { report: "peers", write: peersMarkdown },
  },
};

export const DOCUMENTS = Object.keys(SECTIONS);

/** The page with the figures of the JSON files; a section whose JSON file is missing stays as it is. */
export function withFigures(name, text, readReport = readOwnReport) {
  return Object.entries(SECTIONS[name]).reduce((written, [section, { report, write }]) => {
    const found = readReport(report);
    return found === undefined ? written : replaceSection(written, section, write(found));
  }, text);
}

function replaceSection(text, section, content) {
  const [begin, end] = [`<!-- ${section}: begin -->`, `<!-- ${section}: end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page has no section "${section}".`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}

function readOwnReport(name) {
  const file = new URL(`reports/${name}.json`, DOCS);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

export function rowsMarkdown({ at, node, machine, size, seed, rows }) {
  const held = rows.filter(({ verdict }) => verdict === "held").length;
  const [cases, faults] = ["n", "injected"].map((key) => rows.reduce((sum, row) => sum + row[key], 0));
  const known = new Set(rows.map(({ name }) => name));
  const missing = ROWS.flatMap(({ name }) => (known.has(name) ? [] : [`\`${name}\``]));
  const summary = `${held} of ${rows.length + missing.length} rows held: ${count(cases)} cases, ${count(faults)} faults, seed ${seed}, ${size} counts. ${machine}, Node ${node}, ${at.slice(0, 10)}.`;
  const sections = Object.entries(GROUPS).flatMap(([group, { title }]) => {
    const own = rows.filter((row) => row.group === group);
    return own.length === 0 ? [] : [`### ${title}`, groupTable(own), ...figureList(own)];
  });
  const lack = missing.length === 0 ? [] : [`Rows without a result in this run: ${missing.join(", ")}.`];
  return [summary, ...lack, ...sections].join("\n\n");
}

function groupTable(rows) {
  return table(
    ["row", "faults tried", "case", "n", "injected", "violations", "95 % bound", "p50 / p99 / max ms"],
    rows.map((row) => [
      `\`${row.name}\``,
      row.ids.join(", "),
      row.title,
      count(row.n),
      count(row.injected),
      String(row.violations.length),
      row.bound_per_case === null ? "" : `≤ ${Number((Math.min(row.bound_per_case, 1) * 100).toPrecision(2))} %`,
      row.times === undefined ? "" : [row.times.p50, row.times.p99, row.times.max].map(milliseconds).join(" / "),
    ]),
  );
}

function figureList(rows) {
  const measured = rows.filter(({ figures, times }) => Object.keys(figures).length > 0 || times !== undefined);
  const lines = measured.map(({ name, figures, times }) => {
    const of = times === undefined ? [] : [`times: ${times.of}`];
    return `- \`${name}\`: ${[list(figures), ...of].filter((part) => part !== "").join("; ")}`;
  });
  return lines.length === 0 ? [] : [lines.join("\n")];
}

/** Gates that were not met come first, then gates that could not be judged. */
export function gatesMarkdown({ rows }) {
  const gates = toGates(rows);
  if (gates.length === 0) return "This run recorded no timing limits.";
  const order = ["not met", "not judged", "met"];
  const sorted = gates.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict));
  const lines = sorted.map(({ row, of, allowed, seen, verdict }) => [`\`${row}\``, of, allowed, seen, verdict]);
  return [`${countGates(gates)}.`, table(["row", "measured", "allowed", "result", "verdict"], lines)].join("\n\n");
}

export function fewerMarkdown() {
  const smaller = ROWS.filter(({ fewer }) => fewer !== undefined);
  return table(
    ["row", "faults tried", "full counts"],
    smaller.map(({ name, ids, fewer }) => [`\`${name}\``, ids.join(", "), fewer]),
  );
}

export function stockMarkdown({ rows }) {
  const compared = rows.filter(({ stock }) => stock !== undefined);
  return table(
    ["row", "official SDK, same fault, same run"],
    compared.map(({ name, stock }) => [`\`${name}\``, list(stock)]),
  );
}

export function untriedMarkdown({ untried }) {
  return table(
    ["fault", "reason"],
    untried.map(({ id, reason }) => [id, reason]),
  );
}

export function soakMarkdown({ at, node, machine, seed, rows: [row] }) {
  const { n, injected, violations, figures, seconds } = row;
  const head = `${Math.round(seconds / 60)} minutes, seed ${seed}: ${count(n)} calls, ${count(injected)} faults, ${violations.length} violations. ${machine}, Node ${node}, ${at.slice(0, 10)}.`;
  const facts = Object.entries(figures).map(([key, value]) => [key, String(value)]);
  const broken = violations.length === 0 ? [] : [violations.map((violation) => `- ${violation}`).join("\n")];
  return [head, ...broken, table(["measured", "result"], facts), gatesMarkdown({ rows: [row] })].join("\n\n");
}

export function benchMarkdown({ node, cpus, cpu, tools, lines }) {
  const head = `Node ${node}, ${cpus} × ${cpu}, ${tools} tools. The spread is p10 to p90.`;
  return [head, fenced(`${toTable(lines)}\n${toNotes(lines)}`)].join("\n\n");
}

export function curvesMarkdown({ curves }) {
  return curves
    .map((curve) => [`![${curve.title}](charts/${curve.name}.svg)`, fenced(toCurveText(curve))].join("\n\n"))
    .join("\n\n");
}

export function peersMarkdown({ node, cpus, tables }) {
  return [`Node ${node}, ${cpus} processors.`, ...tables.map((one) => fenced(toText(one)))].join("\n\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of DOCUMENTS) {
    const file = new URL(name, DOCS);
    writeFileSync(file, withFigures(name, readFileSync(file, "utf8")));
  }
}
