// The results by scenario and revision: a table for the terminal, and the same data with reasons for the JSON report.
import { CLIENT_LEG } from "./client-leg.mjs";
import { notApplying } from "./not-applying.mjs";

const NO_RESULT = {
  verdict: "fail",
  passed: 0,
  failed: 1,
  failures: ["The suite wrote no result for the scenario."],
  warnings: [],
};

/** `found` contains the results by leg, revision and scenario. */
export function toRows(found, { suite, revision: revisions, only, leg: legs }) {
  const isWanted = ({ scenario }) => only === undefined || only.includes(scenario);
  const rowsOf = (role, legsOfRole, revision) => {
    const { [role]: scenarios } = suite.requirements(revision);
    return scenarios.filter(isWanted).map(({ scenario, ...about }) => {
      const why = notApplying(role, scenario);
      const cells = legsOfRole
        .filter((name) => found[name][revision] !== undefined)
        .map((name) => {
          const whyNot = notApplying(role, scenario, name);
          const cell = found[name][revision].get(scenario) ?? NO_RESULT;
          return [name, { ...cell, applies: whyNot === undefined, ...(whyNot && { why: whyNot }) }];
        });
      const applies = { applies: why === undefined, ...(why && { why }) };
      return { role, scenario, revision, ...about, ...applies, cells: Object.fromEntries(cells) };
    });
  };
  const serverLegs = legs.filter((name) => name !== CLIENT_LEG);
  return revisions.flatMap((revision) => [
    ...(serverLegs.length > 0 ? rowsOf("server", serverLegs, revision) : []),
    ...(legs.includes(CLIENT_LEG) ? rowsOf("client", [CLIENT_LEG], revision) : []),
  ]);
}

export function toTable(rows, legs) {
  const head = ["role", "scenario", "revision", ...legs];
  const lines = rows.map((row) => [row.role, row.scenario, row.revision, ...legs.map((leg) => toCell(row.cells[leg]))]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column].length)));
  return [head, ...lines]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function toCell(cell) {
  if (cell === undefined) return "";
  const mark = cell.applies ? "" : "(n/a) ";
  const warned = cell.warnings.length > 0 ? ` ${cell.warnings.length}⚠` : "";
  return `${mark}${cell.verdict === "pass" ? `✓ ${cell.passed}` : `✗ ${cell.failed}/${cell.passed + cell.failed}`}${warned}`;
}

/** One line for each required check that failed. */
export function violationsOf(rows) {
  return rows
    .flatMap(({ scenario, revision, cells }) =>
      Object.entries(cells).map(([leg, cell]) => ({ scenario, revision, leg, ...cell })),
    )
    .filter(({ applies }) => applies)
    .flatMap(({ scenario, revision, leg, failures }) =>
      failures.map((failure) => `✗ ${scenario}, ${revision}, ${leg}: ${failure}`),
    );
}
