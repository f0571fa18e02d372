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
    bound: violations.length === 0 && n > 0 ? 3 / n : null,
    verdict: violations.length === 0 && n > 0 ? "held" : "broken",
  };
}

const toPercent = (share) => (share === null ? "" : `≤ ${(share * 100).toPrecision(2)} %`);

/** One line a row. The bound is of violations per case, none having been found. */
export function toTable(results) {
  const head = ["row", "n", "faults", "violations", "95 % bound", "seconds", "verdict"];
  const lines = results.map(({ name, id, n, injected, violations, bound, seconds, verdict }) =>
    [`${name} (${id})`, n, injected, violations.length, toPercent(bound), seconds, verdict].map(String),
  );
  const widths = head.map((word, column) => Math.max(word.length, ...lines.map((line) => line[column].length)));
  const toLine = (cells) =>
    cells
      .map((cell, column) =>
        column === 0 || column === 6 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
      )
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
