// Runs the rows of the fault suite against the built package, prints one table and writes the results to a JSON file.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { claimReport } from "../../scripts/report-file.mjs";
import { GROUPS, isMeant, ROWS } from "./rows.mjs";
import { bundleRow } from "./support/bundle-row.mjs";
import { describeRun } from "./support/describe-run.mjs";
import { judge, toTable, toUntried } from "./support/report.mjs";
import { runTests } from "./support/run-tests.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = `dist-faults-${process.pid}`;
const TESTS_SECONDS = 300;
/** A row that takes more than this many times its estimate counts as hanging; a busy machine explains less than that. */
const TIMES_LONGER = 10;
const MIN_SECONDS = 30;

const HELP = `Usage: npm run faults -- [options]

Injects faults into gateways and their servers and checks that the guarantees still hold. The test
servers write every action to a ledger, and each row compares the gateway's answers with it. The suite
uses loopback connections only and does not read or write your home folder.
A row is one test with many cases.

  --only WORD    run only the rows with this name, group or fault id (such as P1); may be repeated
  --full         run the full number of cases (default)
  --quick        run a small number of cases
  --seed N       seed of the random numbers; repeats an earlier run (default 1)
  --dist FOLDER  the build to test (default dist)
  --report FILE  the JSON file for the results (default reliability-report.json)
  --help         print this help

Rows:
${Object.entries(GROUPS).map(toHelp).join("\n")}

Exit code: 0 if every row ran and found no violation, otherwise 1.`;

function toHelp([group, { title, rows }]) {
  const lines = rows.map(({ name, about, ids }) => `  ${name.padEnd(22)} ${about} (${ids.join(", ")})`);
  return [`${title} (${group})`, ...lines].join("\n");
}

const options = readOptions();
if (options.help) console.log(HELP);
else process.exitCode = await run(chooseRows(options.only));

function readOptions() {
  const flag = { type: "boolean", default: false };
  const known = {
    only: { type: "string", multiple: true },
    seed: { type: "string", default: "1" },
    report: { type: "string", default: "reliability-report.json" },
    dist: { type: "string", default: "dist" },
    full: flag,
    quick: flag,
    help: flag,
  };
  try {
    const { values } = parseArgs({ options: known });
    if (!Number.isSafeInteger(Number(values.seed))) throw new Error(`"${values.seed}" is not a whole number.`);
    return values;
  } catch (error) {
    console.error(`${error.message}\n\n${HELP}`);
    process.exit(1);
  }
}

function chooseRows(only) {
  const unknown = only?.find((word) => !ROWS.some((row) => isMeant(word, row)));
  if (unknown === undefined) {
    return only === undefined ? ROWS : ROWS.filter((row) => only.some((word) => isMeant(word, row)));
  }
  console.error(`No row, group or fault is named "${unknown}". See \`npm run faults -- --help\`.`);
  process.exit(1);
}

async function run(rows) {
  const size = options.quick ? "quick" : "full";
  const seed = Number(options.seed);
  const driven = rows.filter(({ tests }) => tests === undefined);
  const tested = rows.filter(({ tests }) => tests !== undefined);
  const seconds = driven.reduce((sum, row) => sum + row[size].seconds, 0) + (tested.length > 0 ? TESTS_SECONDS : 0);
  console.error(`${rows.length} rows, ${size}, seed ${seed}: about ${Math.ceil(seconds / 60)} minutes on two cores.`);
  const report = claimReport(options.report);
  const places = prepare();
  const results = [];
  for (const row of driven) {
    console.error(`${row.name}: ${row.about}, about ${row[size].seconds} s`);
    const from = performance.now();
    const found = await runRow(row, { ...places, seed, count: row[size].count, triesStock: true }, row[size].seconds);
    results.push(tell(row, found, (performance.now() - from) / 1000));
  }
  results.push(...(await runTestRows(tested, size === "full")));
  const inOrder = rows.flatMap(({ name }) => results.filter((result) => result.name === name));
  const untried = toUntried(GROUPS);
  console.log(`\n${toTable(inOrder)}\n`);
  if (options.only === undefined)
    console.log(`Faults without a row\n${untried.map(({ id, reason }) => `  ${id}: ${reason}`).join("\n")}\n`);
  report.write({ version: 2, ...describeRun(), size, seed, rows: inOrder, untried });
  console.log(`The results are in ${report.file}.`);
  const broken = inOrder.filter(({ verdict }) => verdict !== "held").length;
  console.log(`${inOrder.length - broken} rows held, ${broken} failed.`);
  return broken === 0 && inOrder.length === rows.length ? 0 : 1;
}

function tell(row, found, seconds) {
  for (const violation of found.violations.slice(0, 20)) console.error(`  ✗ ${violation.slice(0, 600)}`);
  return judge(row, found, seconds);
}

async function runTestRows(rows, isFull) {
  if (rows.length === 0) return [];
  console.error(
    `${rows.length} rows that are Vitest tests, with ${isFull ? "full" : "reduced"} counts, about ${TESTS_SECONDS} s`,
  );
  const from = performance.now();
  const found = await runTests(rows, { root: ROOT, folder: join(ROOT, FOLDER), isFull });
  const seconds = (performance.now() - from) / 1000 / rows.length;
  return rows.map((row) => tell(row, found.get(row.name), seconds));
}

/** The builds to test, and a folder for the bundled rows. The folder is inside the package so that imports of dependencies resolve. */
function prepare() {
  process.chdir(ROOT);
  mkdirSync(FOLDER, { recursive: true });
  const failpoints = `${FOLDER}/failpoints`;
  process.on("exit", () => rmSync(FOLDER, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
  const dist = join(ROOT, options.dist);
  if (!existsSync(join(dist, "main.cjs"))) throw new Error(`${dist} contains no build. Run \`npm run build\` first.`);
  execFileSync(process.execPath, ["scripts/build.mjs", "--failpoints", "--out", failpoints], { stdio: "inherit" });
  return { dist, failpoints: join(ROOT, failpoints) };
}

/** A row fails if it cannot be loaded, does not end in time, or throws outside its own promise. */
async function runRow(row, context, seconds) {
  const onProgress = (text) => console.error(`  ${text}`);
  const stray = catchStrays(row);
  const limit = (Math.max(seconds, MIN_SECONDS) * TIMES_LONGER).toFixed(0);
  const late = new AbortController();
  try {
    const module = await import(await bundle(row));
    const ended = pause(limit * 1000, undefined, { signal: late.signal }).then(() => {
      throw new Error(`The row did not end within ${limit} s.`);
    });
    return await Promise.race([row.run(module)({ ...context, onProgress }), stray.thrown, ended]);
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { title: row.about, n: 0, injected: 0, violations: [`the row failed: ${reason}`], figures: {} };
  } finally {
    late.abort();
    stray.stop();
  }
}

/** Errors that a row cannot catch, such as those thrown by event handlers when a gateway sends invalid JSON or answers twice. */
function catchStrays({ group, name }) {
  let reject;
  const thrown = new Promise((_, rejectThrown) => (reject = rejectThrown));
  thrown.catch(() => undefined);
  const fail = (error) => {
    const thrower = /\/rows\/([\w-]+\/[\w-]+)\.mjs/.exec(error?.stack ?? "")?.[1];
    // A failed row may still run for a while. An error that it throws later does not belong to the current row.
    if (thrower === undefined || thrower === `${group}/${name}`) reject(error);
  };
  const events = ["uncaughtException", "unhandledRejection"];
  for (const event of events) process.on(event, fail);
  return { thrown, stop: () => events.forEach((event) => process.off(event, fail)) };
}

function bundle({ group, name }) {
  const outfile = join(ROOT, FOLDER, "rows", group, `${name}.mjs`);
  return bundleRow(`test/faults/rows/${group}/${name}.ts`, { root: ROOT, outfile });
}
