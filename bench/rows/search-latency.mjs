import { fileURLToPath } from "node:url";
import { runFork } from "../support/fork.mjs";
import { median, quantile, spreadOf } from "../support/statistics.mjs";

const CHILD = fileURLToPath(new URL("../children/search.mjs", import.meta.url));

/** What must work, and what is planned for. */
const CATALOGS = [
  {
    label: "10,000 tools, by words alone",
    toolCount: 10_000,
    semantic: false,
    most: { p50: 2, p99: 10, build: 1000, heap: 100 },
  },
  { label: "10,000 tools", toolCount: 10_000, semantic: true, most: { p50: 4, p99: 10, build: 1000, heap: 100 } },
  { label: "100,000 tools", toolCount: 100_000, semantic: true, most: { p99: 40, heap: 400 } },
];

/** Search and its index at large catalogs, in process. */
export const searchLatency = {
  name: "search-latency",
  about: "search over 10,000 and 100,000 tools in process, the index's build time and heap",
  dependsOnTools: true,
  async run({ internalsAddress, dataFolder, rounds }) {
    const lines = [];
    for (const { label, toolCount, semantic, most } of CATALOGS) {
      const isLarge = toolCount > 10_000;
      const measured = await runFork(CHILD, {
        internals: internalsAddress,
        folder: dataFolder,
        toolCount,
        semantic,
        queryCount: isLarge ? rounds(1500, 500) : rounds(6000, 2000),
        naiveCount: isLarge ? rounds(40, 20) : rounds(400, 100),
        buildCount: isLarge ? 1 : rounds(7, 3),
      });
      lines.push(...latencyLines(measured, label, most), ...indexLines(measured, label, most));
    }
    return lines;
  },
};

function latencyLines({ searchMs, undisturbedMs, naiveMs, pauses }, label, limits) {
  const line = (what, share, most) => ({
    what: `${label}: search ${what}`,
    value: quantile(searchMs, share),
    unit: "ms",
    baseline: { name: "linear scan", value: quantile(naiveMs, share) },
    ratio: quantile(searchMs, share) / quantile(naiveMs, share),
    ...(most === undefined ? {} : { budget: { most } }),
  });
  return [
    { ...line("p50", 0.5, limits.p50), spread: spreadOf(searchMs), note: `${searchMs.length} queries` },
    {
      ...line("p99", 0.99, limits.p99),
      spread: { low: quantile(searchMs, 0.95), high: Math.max(...searchMs) },
      note: `spread is p95 to the longest; ${pauses.count} collections of ${pauses.medianMs.toFixed(2)} ms`,
    },
    {
      what: `${label}: p99 of those without a collection`,
      value: quantile(undisturbedMs, 0.99),
      unit: "ms",
      spread: { low: quantile(undisturbedMs, 0.95), high: Math.max(...undisturbedMs) },
      note: `${undisturbedMs.length} queries`,
    },
  ];
}

function indexLines({ buildMs, heapMegabytes, naiveMs }, label, limits) {
  const scan = median(naiveMs);
  return [
    {
      what: `${label}: index build`,
      value: median(buildMs),
      unit: "ms",
      spread: spreadOf(buildMs),
      baseline: { name: "one linear scan", value: scan },
      ratio: median(buildMs) / scan,
      ...(limits.build === undefined ? {} : { budget: { most: limits.build } }),
    },
    { what: `${label}: heap of the index`, value: heapMegabytes, unit: "MB", budget: { most: limits.heap } },
  ];
}
