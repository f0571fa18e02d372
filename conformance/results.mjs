// Reads the result files that the suite writes for each scenario.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const STAMP = /-\d{4}-\d{2}-\d{2}T[\d-]+Z$/;

/** For each scenario: the number of passed checks, and the errors of the others. */
export function readResults(folder) {
  const results = new Map();
  if (!existsSync(folder)) return results;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name !== "checks.json") continue;
    const path = relative(folder, entry.parentPath ?? entry.path);
    const scenario = path
      .replaceAll("\\", "/")
      .replace(STAMP, "")
      .replace(/^server-(?=.)/, "");
    results.set(scenario, judge(JSON.parse(readFileSync(join(folder, path, "checks.json"), "utf8"))));
  }
  return results;
}

function judge(checks) {
  const of = (status) => checks.filter((check) => check.status === status);
  const describe = (check) => `${check.id}: ${check.errorMessage ?? check.description}`;
  // A scenario without checks proves nothing, so it does not count as passed.
  const failures = checks.length === 0 ? ["The scenario made no checks."] : of("FAILURE").map(describe);
  return {
    verdict: failures.length === 0 ? "pass" : "fail",
    passed: of("SUCCESS").length,
    failed: failures.length,
    failures,
    warnings: of("WARNING").map(describe),
  };
}
