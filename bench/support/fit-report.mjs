/** Calibration in ten bins: stated and true relevance, with equal weight for every set. Rejected queries have no hits. */
export function toReliability(queries, { calibrate, stateOf, fits }) {
  const answerable = queries.filter(({ kind }) => kind === "answerable");
  const sets = bySet(answerable).map((own) => ({
    queries: own.map(({ query }) => query),
    answers: own.map((one) => {
      const hits = fits(one) ? one.hits : [];
      return { ids: hits.map(({ id }) => id), stated: hits.map(({ evidence }) => stateOf(evidence)) };
    }),
  }));
  const { first, all, confident } = calibrate(sets);
  const rows = first.map((bin, number) => [
    `${bin.from.toFixed(1)}–${bin.to.toFixed(1)}`,
    ...cellsOf(bin),
    ...cellsOf(all[number]),
  ]);
  const heads = ["stated", "first hits", "mean stated", "right", "all hits", "mean stated", "right"];
  const { equal, from } = confident;
  return [
    ...toTable(heads, rows),
    "",
    `First hits at ${from} or more: ${percent(equal.share)} of the queries, right in ${percent(equal.right)} of them.`,
  ].join("\n");
}

function cellsOf({ hits, equal }) {
  return equal === undefined ? [0, "–", "–"] : [hits, equal.stated.toFixed(2), equal.right.toFixed(2)];
}

/** The share of rejected queries of each set, by kind and half. */
export function toRefusals(queries, fits) {
  const heads = ["set", "wrong, tune", "wrong, report", "refused, tune", "refused, report", "removed, report"];
  const columns = [
    ["answerable", "tune"],
    ["answerable", "report"],
    ["unanswerable", "tune"],
    ["unanswerable", "report"],
    ["removed", "report"],
  ];
  const shares = bySet(queries).map((own) =>
    columns.map(([kind, half]) => {
      const those = own.filter((one) => one.kind === kind && one.half === half);
      return those.length === 0 ? undefined : those.filter((one) => !fits(one)).length / those.length;
    }),
  );
  const macro = columns.map((_, column) => mean(shares.map((row) => row[column]).filter((one) => one !== undefined)));
  const names = bySet(queries).map(([{ set }]) => set);
  const toCells = (name, row) => [name, ...row.map((share) => (share === undefined ? "–" : percent(share)))];
  return toTable(heads, [...shares.map((row, index) => toCells(names[index], row)), toCells("macro", macro)]).join(
    "\n",
  );
}

function bySet(queries) {
  const groups = new Map();
  for (const one of queries) groups.set(one.set, [...(groups.get(one.set) ?? []), one]);
  return [...groups.values()];
}

function toTable(heads, rows) {
  return [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
