// The generated sections of docs/explanation/performance.md.
import { toFigure, verdictOf } from "../../bench/support/report.mjs";
import { table } from "./markdown.mjs";

/** The benchmark lines that the page shows: label, name of the line, and the baseline if two lines have the same name. */
const LINES = [
  [
    "`tools/list`, profile `discovery`",
    "tools/list, five tools of the profile discovery",
    "real tools listed directly",
  ],
  ["search answer, median", "search answer, median"],
  ["tool details, median", "details of a tool, median"],
  ["search among 10,000 tools, p99", "10,000 tools: search p99"],
  ["search among 100,000 tools, p99", "100,000 tools: search p99"],
  ["process start to first `tools/list`", "start to first tools/list"],
  ["memory above a bare SDK server, after searches", "memory above bare, index built, after searches"],
  ["time added to one call, median", "added to a call, median"],
  ["the same, `audit.sync: risky`", "added to a call, median, audit.sync risky"],
  ["the same, `audit.enabled: false`", "added to a call, median, audit off"],
  ["throughput, 32 calls in flight", "throughput, 32 in flight"],
  ["the same, `audit.enabled: false`", "throughput, 32 in flight, audit off"],
  ["one durable append on this disk", "one durable append on this disk"],
];

export function budgetSummary({ node, cpus, cpu, lines }) {
  const rows = LINES.map(([label, what, baseline]) => {
    const line = lines.find(
      (one) => one.what === what && (baseline === undefined || one.baseline.name.endsWith(baseline)),
    );
    if (line === undefined) throw new Error(`The benchmark report has no line "${what}".`);
    return [label, ...toCells(line)];
  });
  const head = ["measure", "result", "baseline in the same run", "ratio", "budget"];
  return [`Node ${node}, ${cpus} × ${cpu}.`, table(head, rows), missedBudgets(lines)].join("\n\n");
}

function missedBudgets(lines) {
  const budgets = lines.filter(({ budget }) => budget !== undefined);
  const missed = budgets.filter((line) => verdictOf(line) !== "ok");
  if (missed.length === 0) return `All ${budgets.length} budgets of the report are met.`;
  const names = missed.map(({ what, value, unit }) => `${what} (${toFigure(value)} ${unit})`);
  return `${missed.length} of the report's ${budgets.length} budgets are not met: ${names.join("; ")}.`;
}

function toCells(line) {
  const { value, unit, baseline, ratio } = line;
  return [
    `${toFigure(value)} ${unit}`,
    baseline === undefined ? "" : `${toFigure(baseline.value)} (${baseline.name})`,
    ratio === undefined ? "" : `${toFigure(ratio)}×`,
    budgetOf(line),
  ];
}

function budgetOf(line) {
  const { budget, unit } = line;
  if (budget === undefined) return "";
  const suffix = budget.of === "ratio" ? "×" : ` ${unit}`;
  const bound = budget.most === undefined ? `≥ ${budget.least}${suffix}` : `≤ ${budget.most}${suffix}`;
  return `${bound}: ${verdictOf(line) === "ok" ? "met" : "**not met**"}`;
}

/** One column of each of the comparison's tables, by the beginning of the table's title. */
const PEER_COLUMNS = [
  { title: "Start with 120 servers", key: "warm", label: "second start, 120 servers, s" },
  { title: "Start with 120 servers", key: "tree", label: "memory of gateway and servers, MB" },
  { title: "Search", key: "ndcg@10", label: "search, nDCG@10", digits: 3 },
  { title: "Calls on an open connection", key: "median", label: "call, median ms" },
  { title: "Calls on an open connection", key: "rate", label: "calls/s, 32 in flight" },
  { title: "A server is killed", key: "again", label: "works again after a kill, s", digits: 2 },
];

export function peerSummary({ node, tables }) {
  const columns = PEER_COLUMNS.map((column) => ({ ...column, found: columnOf(tables, column) }));
  const names = tables
    .find(({ title }) => title.startsWith("Calls"))
    .rows.map(({ name }) => name)
    .filter(isShown);
  const rows = names.map((name) => [
    name === "ours" ? "**this gateway**" : name.replace(/^ours/, "this gateway"),
    ...columns.map(({ found, digits }) => show(found.rows.find((row) => row.name === name)?.cells[found.key], digits)),
  ]);
  return [`Node ${node}.`, table(["gateway", ...columns.map(({ label }) => label)], rows)].join("\n\n");
}

/** The full report also has the direct connection and a newer version of Node. */
const isShown = (name) => name !== "direct" && !name.includes("newer Node");

function columnOf(tables, { title, key }) {
  const found = tables.find((one) => one.title.startsWith(title));
  if (found?.columns.some((column) => column.key === key) !== true)
    throw new Error(`The comparison has no column "${key}" in a table "${title}".`);
  return { rows: found.rows, key };
}

function show(value, digits) {
  if (value === undefined || value === null) return "–";
  if (typeof value === "string") return value;
  return digits === undefined ? toFigure(value) : value.toFixed(digits);
}
