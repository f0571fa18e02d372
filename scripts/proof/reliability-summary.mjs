// The generated sections of docs/explanation/reliability.md.
import { GROUPS, ROWS } from "../../test/faults/rows.mjs";
import { countGates, toGates } from "../../test/faults/support/report.mjs";
import { count, table } from "./markdown.mjs";

/** One line for each group of faults, and one for all of them. */
export function rowSummary({ at, node, machine, size, seed, rows }) {
  const run = `One run with ${size} counts and seed ${seed}, on ${machine}, Node ${node}, ${at.slice(0, 10)}:`;
  const groups = Object.entries(GROUPS)
    .map(([group, { title }]) => ({ title, rows: rows.filter((row) => row.group === group) }))
    .filter((group) => group.rows.length > 0);
  const lines = [...groups, { title: "**all**", rows }].map((group) => toLine(group));
  const done = new Set(rows.map(({ name }) => name));
  const missing = ROWS.flatMap(({ name }) => (done.has(name) ? [] : [`\`${name}\``]));
  return [
    run,
    table(["group", "rows", "held", "cases", "faults injected", "violations"], lines),
    ...(missing.length === 0 ? [] : [`Rows without a result in this run: ${missing.join(", ")}.`]),
  ].join("\n\n");
}

function toLine({ title, rows }) {
  const sum = (valueOf) => count(rows.reduce((total, row) => total + valueOf(row), 0));
  return [
    title,
    count(rows.length),
    count(rows.filter(({ verdict }) => verdict === "held").length),
    sum(({ n }) => n),
    sum(({ injected }) => injected),
    sum(({ violations }) => violations.length),
  ];
}

/** Labels that are clear without the full report: row, beginning of the gate's name, and the replacement. */
const GATE_LABELS = [
  ["depth-bombs", "lag of the event loop", "lag of the event loop while deeply nested messages are rejected"],
  ["yaml-surprises", "a rejection, slowest: ", "rejection of a YAML file, slowest: "],
  ["many-rules", "one decision", "one decision with 10,000 rules"],
  ["schema-bombs", "longest block of the event loop, at ", "longest block of the event loop, with a schema of "],
  ["record-rates", "audit records of a call", "wait for the audit records of a call"],
  ["hanging-server", "calls of the other servers", "calls of the other servers while one server hangs"],
];

function gateLabel(row, of) {
  const [, start, label] = GATE_LABELS.find(([name, begin]) => name === row && of.startsWith(begin)) ?? [row, "", ""];
  return `${label}${of.slice(start.length)}`;
}

/** The gates that were not met; the report has all of them. */
export function gateSummary({ rows }) {
  const gates = toGates(rows);
  const missed = gates.filter(({ verdict }) => verdict === "not met");
  const head = `${countGates(gates)}.`;
  if (missed.length === 0) return head;
  const lines = missed.map(({ row, of, allowed, seen }) => [`\`${row}\``, gateLabel(row, of), allowed, seen]);
  return [head, table(["row", "measured", "allowed", "result"], lines)].join("\n\n");
}

const SOAK_FIGURES = [
  ["offered per second", "calls offered per second"],
  ["processes", "child processes of each gateway at start and end"],
  ["descriptors", "file descriptors at start and end"],
  ["live memory of both in the second half, MiB per hour", "growth of live memory in the second half, MiB per hour"],
  [
    "resident memory of both in the second half, MiB per hour",
    "growth of resident memory in the second half, MiB per hour",
  ],
];

export function soakSummary({ at, rows: [row] }) {
  const { n, injected, violations, figures, seconds } = row;
  const head = `${Math.round(seconds / 60)} minutes on ${at.slice(0, 10)}: ${count(n)} calls, ${count(injected)} faults, ${violations.length} violations.`;
  const lines = SOAK_FIGURES.flatMap(([key, label]) =>
    figures[key] === undefined ? [] : [[label, String(figures[key])]],
  );
  return [head, table(["measured", "result"], lines)].join("\n\n");
}
