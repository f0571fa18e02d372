import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

/**
 * Where the findings of a long run will go. It is tried at once, so that nothing is measured in vain; and what a former
 * run left there must not pass for a result of this one.
 */
export function claimReport(path) {
  const file = resolve(path);
  try {
    writeFileSync(file, "");
    if (lstatSync(file).isFile()) rmSync(file);
  } catch (error) {
    console.error(`Nothing can be written to ${file} (${error.code}). Name another place with --report.`);
    process.exit(1);
  }
  return { file, write: (report) => writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`) };
}
