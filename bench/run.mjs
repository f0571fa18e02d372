// Measures every row (one benchmark each) against a baseline in the same run, and prints one table or JSON.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { claimReport } from "../scripts/report-file.mjs";
import { curveCalls } from "./curves/calls.mjs";
import { curveResults } from "./curves/results.mjs";
import { curveServers } from "./curves/servers.mjs";
import { curveTools } from "./curves/tools.mjs";
import { adapters } from "./rows/adapters.mjs";
import { calls } from "./rows/calls.mjs";
import { daemon } from "./rows/daemon.mjs";
import { detailsTokens } from "./rows/details-tokens.mjs";
import { engine } from "./rows/engine.mjs";
import { errors } from "./rows/errors.mjs";
import { guards } from "./rows/guards.mjs";
import { intent } from "./rows/intent.mjs";
import { limits } from "./rows/limits.mjs";
import { listTokens } from "./rows/list-tokens.mjs";
import { memory } from "./rows/memory.mjs";
import { profiles } from "./rows/profiles.mjs";
import { replay } from "./rows/replay.mjs";
import { results } from "./rows/results.mjs";
import { searchLatency } from "./rows/search-latency.mjs";
import { searchTokens } from "./rows/search-tokens.mjs";
import { start } from "./rows/start.mjs";
import { store } from "./rows/store.mjs";
import { tasks } from "./rows/tasks.mjs";
import { toChart } from "./support/chart.mjs";
import { toCurveText, withGrowth } from "./support/curve.mjs";
import { openData } from "./support/data.mjs";
import { bundleInternals } from "./support/load-internals.mjs";
import { toNotes, toTable, verdictOf } from "./support/report.mjs";

const ROWS = [
  listTokens,
  searchTokens,
  detailsTokens,
  errors,
  profiles,
  searchLatency,
  engine,
  start,
  daemon,
  memory,
  { ...calls, seconds: { usual: 50, quick: 20 } },
  guards,
  limits,
  store,
  adapters,
  intent,
  replay,
  results,
  tasks,
  curveTools,
  curveServers,
  curveCalls,
  curveResults,
];

const HELP = `Usage: npm run bench -- [options]

Measures the performance budgets, each against a baseline in the same run. Real tools and queries
are read from the folder in ANYGPT_DATA. Without it, the benchmark uses synthetic ones and the table
says so. A row is one benchmark.

  --only ROW        measure only this row; may be repeated
  --quick           fewer rounds
  --json            print one JSON object
  --report FILE     also write the JSON object to a file
  --charts FOLDER   write each measured curve to this folder as an SVG file
  --help            print this help

Rows:
${ROWS.map(({ name, about }) => `  ${name.padEnd(15)}${about}`).join("\n")}

Exit code: 0 if every row was measured, even if a budget is exceeded; 1 if a row could not be measured.`;

const options = readOptions();

if (options.help) console.log(HELP);
else process.exitCode = await run(chooseRows(options.only));

function readOptions() {
  const flag = { type: "boolean", default: false };
  try {
    const text = { type: "string" };
    const only = { ...text, multiple: true };
    const known = { only, quick: flag, json: flag, report: text, charts: text, help: flag };
    return parseArgs({ options: known }).values;
  } catch (error) {
    console.error(`${error.message}\n\n${HELP}`);
    process.exit(1);
  }
}

function chooseRows(only) {
  const unknown = only?.find((name) => !ROWS.some((row) => row.name === name));
  if (unknown === undefined) return only === undefined ? ROWS : ROWS.filter(({ name }) => only.includes(name));
  console.error(`No row is named "${unknown}". Rows: ${ROWS.map(({ name }) => name).join(", ")}.`);
  process.exit(1);
}

async function run(rows) {
  const report = options.report === undefined ? undefined : claimReport(options.report);
  const context = await createContext();
  const measured = { rows: [], lines: [], curves: [], failed: [] };
  printPlan(rows);
  for (const row of rows) {
    console.error(`measuring ${row.name}: ${row.about}`);
    const started = performance.now();
    try {
      const { lines, curve } = await measureRow(row, context);
      measured.lines.push(...lines);
      if (curve !== undefined) measured.curves.push(curve);
    } catch (error) {
      measured.failed.push({ row: row.name, reason: error.message });
    }
    const seconds = Math.round((performance.now() - started) / 1000);
    measured.rows.push({ row: row.name, seconds });
    console.error(`  took ${seconds} s`);
  }
  if (options.charts !== undefined) writeCharts(measured.curves);
  const found = toReport(measured, context.data);
  report?.write(found);
  print(found);
  return measured.failed.length === 0 ? 0 : 1;
}

function secondsOf({ seconds }) {
  return options.quick ? seconds.quick : seconds.usual;
}

/** Prints the expected duration on two idle cores. */
function printPlan(rows) {
  const minutes = rows.reduce((total, row) => total + secondsOf(row), 0) / 60;
  console.error(`About ${minutes.toFixed(1)} minutes on two idle cores:`);
  for (const row of rows) console.error(`  ${row.name.padEnd(15)}${String(secondsOf(row)).padStart(4)} s`);
}

async function measureRow(row, context) {
  const answer = await row.run(context);
  const { lines, curve } = Array.isArray(answer) ? { lines: answer } : answer;
  const named = lines.map((line) => toNamedLine(line, row, context.data));
  if (curve === undefined) return { lines: named };
  const title = row.dependsOnTools && !context.data.isReal ? `${curve.title}, synthetic tools` : curve.title;
  return { lines: named, curve: withGrowth({ ...curve, title }) };
}

function writeCharts(curves) {
  mkdirSync(options.charts, { recursive: true });
  for (const curve of curves) writeFileSync(join(options.charts, `${curve.name}.svg`), toChart(curve));
}

/** Marks figures that depend on the content of the tools if the tools are synthetic. */
function toNamedLine(line, row, data) {
  const what = row.dependsOnTools && !data.isReal ? `${line.what} (synthetic)` : line.what;
  return { row: row.name, ...line, what };
}

async function createContext() {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
  // Neither this run nor its child processes may use the home folder of the user.
  const dataFolder = process.env.ANYGPT_DATA;
  process.env.HOME = join(folder, "home");
  process.env.ANYGPT_HOME = join(folder, "home", ".anygpt");
  process.env.ANYGPT_DAEMON = "0";
  mkdirSync(process.env.ANYGPT_HOME, { recursive: true });
  delete process.env.ANYGPT_CONFIG;
  const internalsAddress = await bundleInternals(folder);
  return {
    folder,
    dataFolder,
    data: openData(dataFolder),
    internalsAddress,
    internals: await import(internalsAddress),
    /** The first count, or the second with `--quick`. */
    rounds: (usual, quick) => (options.quick ? quick : usual),
  };
}

function toReport({ rows, lines, curves, failed }, data) {
  const machine = { node: process.version, platform: process.platform, cpus: cpus().length, cpu: cpus()[0]?.model };
  const tools = data.isReal ? "real" : "synthetic";
  const judged = lines.map((line) => ({ ...line, verdict: verdictOf(line) || null }));
  return { ...machine, tools, isQuick: options.quick, rows, lines: judged, curves, failed };
}

function print(report) {
  const { node, platform, cpus: count, tools, lines, curves, failed } = report;
  if (options.json) console.log(JSON.stringify(report, null, 2));
  else {
    console.log(`\nNode ${node}, ${platform}, ${count} CPUs, ${tools} tools; spread is p10 to p90`);
    if (lines.length > 0) console.log(`\n${toTable(lines)}\n${toNotes(lines)}`);
    for (const curve of curves) console.log(`\n${toCurveText(curve)}`);
  }
  for (const { row, reason } of failed) console.error(`The row ${row} could not be measured: ${reason}`);
}
