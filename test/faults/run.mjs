// Runs the rows of the fault suite against the built package, prints one table and writes what they found.
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
/** A busy machine takes longer than a row says; one that takes so many times as long has no end. */
const TIMES_LONGER = 10;
const LEAST_SECONDS = 30;

const HELP = `Usage: npm run faults -- [options]

Breaks gateways and their servers on purpose and checks what must hold all the same, against a
ledger that the servers keep. Loopback only; nothing of your home is read or written.

  --only WORD    run the rows of this name, group or fault (P1) only; may be repeated
  --full         the full counts (default)
  --quick        few of each
  --seed N       the dice of a former run
  --dist FOLDER  the build to test, default dist
  --report FILE  where the findings go, default reliability-report.json
  --help         print this

Rows:
${Object.entries(GROUPS).map(toHelp).join("\n")}

Exit code: 0 when every row ran and none found a violation, else 1.`;

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
    console.log(`Not tried here\n${untried.map(({ id, reason }) => `  ${id}: ${reason}`).join("\n")}\n`);
  report.write({ version: 2, ...describeRun(), size, seed, rows: inOrder, untried });
  console.log(`The findings are in ${report.file}.`);
  const broken = inOrder.filter(({ verdict }) => verdict !== "held").length;
  console.log(`${inOrder.length - broken} rows held, ${broken} broken.`);
  return broken === 0 && inOrder.length === rows.length ? 0 : 1;
}

function tell(row, found, seconds) {
  for (const violation of found.violations.slice(0, 20)) console.error(`  ✗ ${violation.slice(0, 600)}`);
  return judge(row, found, seconds);
}

async function runTestRows(rows, isFull) {
  if (rows.length === 0) return [];
  console.error(
    `${rows.length} rows of tests with their ${isFull ? "full" : "divided"} counts, about ${TESTS_SECONDS} s`,
  );
  const from = performance.now();
  const found = await runTests(rows, { root: ROOT, folder: join(ROOT, FOLDER), isFull });
  const seconds = (performance.now() - from) / 1000 / rows.length;
  return rows.map((row) => tell(row, found.get(row.name), seconds));
}

/** The builds that are tested, and a folder for the rows: inside the package, where its dependencies are found. */
function prepare() {
  process.chdir(ROOT);
  mkdirSync(FOLDER, { recursive: true });
  const failpoints = `${FOLDER}/failpoints`;
  process.on("exit", () => rmSync(FOLDER, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
  const dist = join(ROOT, options.dist);
  if (!existsSync(join(dist, "main.js"))) throw new Error(`There is no build in ${dist}; run \`npm run build\` first.`);
  execFileSync(process.execPath, ["scripts/build.mjs", "--failpoints", "--out", failpoints], { stdio: "inherit" });
  return { dist, failpoints: join(ROOT, failpoints) };
}

/** A row that cannot be run, does not end or ends in nobody's hands has failed. */
async function runRow(row, context, seconds) {
  const onProgress = (text) => console.error(`  ${text}`);
  const stray = catchStrays(row);
  const limit = (Math.max(seconds, LEAST_SECONDS) * TIMES_LONGER).toFixed(0);
  const late = new AbortController();
  try {
    const module = await import(await bundle(row));
    const ended = pause(limit * 1000, undefined, { signal: late.signal }).then(() => {
      throw new Error(`No end after ${limit} s.`);
    });
    return await Promise.race([row.run(module)({ ...context, onProgress }), stray.thrown, ended]);
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { title: row.about, n: 0, injected: 0, violations: [`it did not end: ${reason}`], figures: {} };
  } finally {
    late.abort();
    stray.stop();
  }
}

/** What is thrown where no row can catch it: a gateway that speaks no JSON, or answers twice. */
function catchStrays({ group, name }) {
  let reject;
  const thrown = new Promise((_, rejectThrown) => (reject = rejectThrown));
  thrown.catch(() => undefined);
  const fail = (error) => {
    const thrower = /\/rows\/([\w-]+\/[\w-]+)\.mjs/.exec(error?.stack ?? "")?.[1];
    // A row that has failed goes on for a while, and what it throws then is not this one's.
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
