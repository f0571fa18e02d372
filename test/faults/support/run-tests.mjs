// Runs the tests that rows name in one run, and returns the results per row.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** A result for each row, by its name. A file that did not run, or a name that matches no test, is a violation. */
export async function runTests(rows, { root, folder, isFull }) {
  const files = [...new Set(rows.flatMap(({ tests }) => tests.map(({ file }) => file)))];
  const outputFile = join(folder, "tests.json");
  const code = await runVitest([...files, "--reporter=json", `--outputFile=${outputFile}`], { root, isFull });
  const ran = readResults(outputFile, root);
  const isGreen = [...ran.values()].flat().every(({ status }) => status === "passed");
  // An error outside the tests cannot be assigned to one of them.
  const strays = code !== 0 && isGreen ? [`the test run exited with ${code} although no test failed`] : [];
  return new Map(rows.map((row) => [row.name, toResult(row, ran, strays)]));
}

function runVitest(words, { root, isFull }) {
  const program = join(root, "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, ...(isFull ? { FAULT_COUNTS: "full" } : {}) };
  // Full counts take longer.
  const limit = isFull ? ["--testTimeout=600000"] : [];
  const child = spawn(process.execPath, [program, "run", ...words, ...limit], {
    cwd: root,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return new Promise((resolve) => child.once("close", resolve));
}

/** Tests by file. A missing or incomplete report is an error. */
function readResults(file, root) {
  try {
    const { testResults } = JSON.parse(readFileSync(file, "utf8"));
    return new Map(testResults.map(({ name, assertionResults }) => [relative(root, name), assertionResults]));
  } catch {
    return new Map();
  }
}

function toResult({ about, tests }, ran, strays) {
  const found = tests.map(({ file, named = "" }) => ({
    file,
    named,
    cases: (ran.get(file) ?? []).filter(({ fullName }) => fullName.includes(named)),
  }));
  const cases = found.flatMap((one) => one.cases);
  const missing = found.filter((one) => one.cases.length === 0);
  const failed = cases.filter(({ status }) => status !== "passed");
  return {
    title: about,
    n: cases.length,
    // The tests do not report how many faults they inject.
    injected: 0,
    violations: [
      ...strays,
      ...missing.map(({ file, named }) => `${file}: no test${named === "" ? "" : ` named "${named}"`} has run`),
      ...failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0] ?? "not run"}`),
    ],
    figures: {},
  };
}
