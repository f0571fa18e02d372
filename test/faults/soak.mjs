// Runs the soak of the fault suite for as long as wanted and writes what it found. Ctrl-C ends it early, and it is judged all the same.
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

Two gateways at half load, over stdio and HTTP, while one thing after the other goes wrong, every three seconds.
Loopback only; nothing of your home is read or written.

  --minutes N    how long, default 60
  --seed N       the dice of a former run, default 1
  --dist FOLDER  the build to test, default dist
  --report FILE  where the findings go, default soak-report.json
  --help         print this

Ctrl-C ends the load; what happened until then is judged. Once more ends everything at once.

Exit code: 0 when no violation was found, else 1.`;

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
    if (!(Number(values.minutes) > 0)) throw new Error(`"${values.minutes}" is no number of minutes.`);
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
  if (!existsSync(join(dist, "main.js"))) throw new Error(`There is no build in ${dist}; run \`npm run build\` first.`);
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
  const told = { version: 2, ...describeRun(), seed, rows: [row] };
  report.write(told);
  console.log(`The findings are in ${report.file}.`);
  return row.verdict === "held" ? 0 : 1;
}

function listenForTheEnd() {
  const stopping = new AbortController();
  const stop = () => {
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
    console.error("  The load ends now.");
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, stop);
  return stopping.signal;
}

function bundle() {
  mkdirSync(FOLDER, { recursive: true });
  return bundleRow("test/faults/rows/load/soak.ts", { root: ROOT, outfile: join(ROOT, FOLDER, "soak.mjs") });
}
