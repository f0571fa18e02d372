// Prints the test files that failed in a JSON report of vitest, one per line, and the failed tests on standard error.
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

const [file] = process.argv.slice(2);
const { testResults } = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { testResults: [] };
for (const { name, status, assertionResults } of testResults) {
  if (status !== "failed") continue;
  const path = relative(process.cwd(), name);
  process.stdout.write(`${path}\n`);
  for (const { status, fullName } of assertionResults)
    if (status === "failed") process.stderr.write(`failed in the full run: ${path} > ${fullName}\n`);
}
