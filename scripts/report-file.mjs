import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

/**
 * Prepares the report file of a long run. Checks at the start that the file can be written, so that no results are lost at
 * the end, and removes the report of an earlier run, so that it cannot be mistaken for a result of this one.
 */
export function claimReport(path) {
  const file = resolve(path);
  try {
    writeFileSync(file, "");
    if (lstatSync(file).isFile()) rmSync(file);
  } catch (error) {
    console.error(`${file} cannot be written (${error.code}). Choose another file with --report.`);
    process.exit(1);
  }
  return { file, write: (report) => writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`) };
}
