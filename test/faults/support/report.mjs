/** What a row found, with what may be said of it. */
export function judge(name, { id, title, n, injected, violations, figures }, seconds) {
  return {
    name,
    id,
    title,
    n,
    injected,
    violations,
    figures,
    seconds: Math.round(seconds),
    // None in n bounds the rate at 3/n, with a confidence of 95 %.
    bound_per_case: violations.length === 0 && n > 0 ? 3 / n : null,
    bound_per_fault: violations.length === 0 && injected > 0 ? 3 / injected : null,
    verdict: violations.length === 0 && n > 0 ? "held" : "broken",
  };
}

const toPercent = (share) => (share === null ? "" : `≤ ${Number((Math.min(share, 1) * 100).toPrecision(2))} %`);

/** One line a row. The bounds are of violations per case and per fault, none having been found. */
export function toTable(results) {
  const head = ["row", "n", "faults", "violations", "95 % per case", "per fault", "seconds", "verdict"];
  const lines = results.map((row) =>
    [
      `${row.name} (${row.id})`,
      row.n,
      row.injected,
      row.violations.length,
      toPercent(row.bound_per_case),
      toPercent(row.bound_per_fault),
      row.seconds,
      row.verdict,
    ].map(String),
  );
  const isLeft = (column) => column === 0 || column === head.length - 1;
  const widths = head.map((word, column) => Math.max(word.length, ...lines.map((line) => line[column].length)));
  const toLine = (cells) =>
    cells
      .map((cell, column) => (isLeft(column) ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join("  ")
      .trimEnd();
  const figures = results
    .filter((result) => Object.keys(result.figures).length > 0)
    .map(
      ({ name, figures: found }) =>
        `${name}: ${Object.entries(found)
          .map(([key, value]) => `${key} ${value}`)
          .join(", ")}`,
    );
  return [toLine(head), ...lines.map(toLine), "", ...figures].join("\n");
}
