// Prints "N passed, N failed" from the JSON reports of the full run and, where there is one, of the second run of failed files.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, status] = process.argv.slice(2);
const [full, again] = ["full.json", "again.json"].map((name) => {
  const file = join(folder, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
});
const last = again ?? full;
const failed = status === "0" ? 0 : Math.max(1, last?.numFailedTests ?? 0);
const repeated = again === undefined ? 0 : (full?.numFailedTests ?? 0);
if (repeated > 0) process.stdout.write(`${repeated} tests failed in the full run; their files ran again alone.\n`);
const passed =
  (full?.numPassedTests ?? 0) + (again === undefined ? 0 : repeated - Math.min(repeated, again.numFailedTests));
process.stdout.write(`${passed} passed, ${failed} failed\n`);
