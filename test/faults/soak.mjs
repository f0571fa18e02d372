// Runs the soak test of the fault suite for a chosen time and writes the results to a JSON file. After Ctrl-C, the results so far are evaluated.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { claimReport } from "../../scripts/report-file.mjs";
import { bundleRow } from "./support/bundle-row.mjs";
import { describeRun } from "./support/describe-run.mjs";
import { judge, toTable } from "./support/report.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = `dist-faults-${process.pid}`;

const HELP = `Usage: npm run soak -- [options]

Runs two gateways (stdio and HTTP) at half of their capacity and injects a random fault every three seconds.
The test uses loopback connections only and does not read or write your home folder.

  --minutes N    duration in minutes (default 60)
  --seed N       seed of the random numbers; repeats an earlier run (default 1)
  --dist FOLDER  the build to test (default dist)
  --report FILE  the JSON file for the results (default soak-report.json)
  --help         print this help

Ctrl-C stops the load, and the results so far are evaluated. A second Ctrl-C exits at once.

Exit code: 0 if no violation was found, otherwise 1.`;

const options = readOptions();
if (options.help) console.log(HELP);
else process.exitCode = await run();

function readOptions() {
  const known = {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    dist: { type: "string", default: "dist" },
    report: { type: "string", default: "soak-report.json" },
    help: { type: "boolean", default: false },
  };
  try {
    const { values } = parseArgs({ options: known });
    if (!(Number(values.minutes) > 0)) throw new Error(`"${values.minutes}" is not a positive number of minutes.`);
    if (!Number.isSafeInteger(Number(values.seed))) throw new Error(`"${values.seed}" is not a whole number.`);
    return values;
  } catch (error) {
    console.error(`${error.message}\n\n${HELP}`);
    process.exit(1);
  }
}

async function run() {
  const report = claimReport(options.report);
  process.chdir(ROOT);
  const dist = join(ROOT, options.dist);
  if (!existsSync(join(dist, "main.cjs"))) throw new Error(`${dist} contains no build. Run \`npm run build\` first.`);
  process.on("exit", () => rmSync(FOLDER, { recursive: true, force: true }));
  const stopping = listenForTheEnd();
  const { runSoak } = await import(await bundle());
  const seed = Number(options.seed);
  const count = Number(options.minutes) * 60;
  console.error(`${options.minutes} minutes, seed ${seed}.`);
  const from = performance.now();
  const onProgress = (text) => console.error(`  ${text}`);
  const found = await runSoak({ count, seed, dist, failpoints: "", onProgress }, stopping);
  for (const violation of found.violations.slice(0, 50)) console.error(`  ✗ ${violation.slice(0, 600)}`);
  const row = judge({ name: "soak", group: "load", ids: ["L4"] }, found, (performance.now() - from) / 1000);
  console.log(`\n${toTable([row])}\n`);
  const reported = { version: 2, ...describeRun(), seed, rows: [row] };
  report.write(reported);
  console.log(`The results are in ${report.file}.`);
  return row.verdict === "held" ? 0 : 1;
}

function listenForTheEnd() {
  const stopping = new AbortController();
  const stop = () => {
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
    console.error("  Stopping the load.");
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, stop);
  return stopping.signal;
}

function bundle() {
  mkdirSync(FOLDER, { recursive: true });
  return bundleRow("test/faults/rows/load/soak.ts", { root: ROOT, outfile: join(ROOT, FOLDER, "soak.mjs") });
}
