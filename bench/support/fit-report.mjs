const BINS = 10;

/** Stated and true relevance of first hits in ten bins, in small and large catalogs, with equal weight for every set. */
export function toCalibration(queries) {
  const catalogs = [...new Set(queries.map(({ catalog }) => catalog))];
  const columns = catalogs.map((catalog) => {
    const bins = Array.from({ length: BINS }, () => ({ queries: 0, weight: 0, stated: 0, right: 0 }));
    for (const own of bySet(queries.filter((one) => one.catalog === catalog && one.isAnswerable))) {
      for (const { stated, hits } of own) {
        if (hits.length === 0) continue;
        const bin = bins[Math.min(BINS - 1, Math.floor(stated[0] * BINS))];
        const weight = 1 / own.length;
        bin.queries += 1;
        bin.weight += weight;
        bin.stated += weight * stated[0];
        bin.right += hits[0].isRight ? weight : 0;
      }
    }
    return bins;
  });
  const cellsOf = ({ queries: count, weight, stated, right }) =>
    count === 0 ? [0, "–", "–"] : [count, (stated / weight).toFixed(2), (right / weight).toFixed(2)];
  const rows = Array.from({ length: BINS }, (_, bin) => [
    `${(bin / BINS).toFixed(1)}–${((bin + 1) / BINS).toFixed(1)}`,
    ...columns.flatMap((bins) => cellsOf(bins[bin])),
  ]);
  const heads = ["stated", ...catalogs.flatMap((catalog) => [`${catalog}: first hits`, "mean stated", "right"])];
  const sure = columns.map((bins, index) => {
    const high = bins.slice(8);
    const sum = (key) => high.reduce((total, bin) => total + bin[key], 0);
    const all = bins.reduce((total, { weight }) => total + weight, 0);
    return `${catalogs[index]}: ${percent(sum("weight") / all)} of the queries, right in ${percent(sum("right") / sum("weight"))}`;
  });
  return [...toTable(heads, rows), "", `First hits at 0.8 or more: ${sure.join("; ")}.`].join("\n");
}

/** The share of queries with the verdict `none`, by set. */
export function toVerdicts(queries) {
  const kinds = [
    ["answerable", ({ isAnswerable, catalog }) => isAnswerable && catalog === "small"],
    ["answerable, large catalog", ({ isAnswerable, catalog }) => isAnswerable && catalog === "large"],
    ["unanswerable", ({ isAnswerable }) => !isAnswerable],
  ];
  const sets = bySet(queries);
  const shares = sets.map((own) =>
    kinds.map(([, isOf]) => {
      const those = own.filter(isOf);
      return those.length === 0 ? undefined : those.filter(({ isNone }) => isNone).length / those.length;
    }),
  );
  const macro = kinds.map((_, kind) => mean(shares.map((row) => row[kind]).filter((one) => one !== undefined)));
  const toCells = (name, row) => [name, ...row.map((share) => (share === undefined ? "–" : percent(share)))];
  const heads = ["verdict `none`", ...kinds.map(([name]) => name)];
  return toTable(heads, [
    ...shares.map((row, index) => toCells(sets[index][0].set, row)),
    toCells("macro", macro),
  ]).join("\n");
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
