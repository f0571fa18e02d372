import { fileURLToPath } from "node:url";
import { toDefinition } from "../support/data.mjs";
import { runFork } from "../support/fork.mjs";
import { inBlocks, median, quantile, spreadOf } from "../support/statistics.mjs";

const CHILD = fileURLToPath(new URL("../children/search.mjs", import.meta.url));

/** The catalog sizes. `--quick` omits the last one, which the curve of tools also measures. */
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

/** Search and index build with large catalogs, in process. */
export const searchLatency = {
  name: "search-latency",
  about: "search among 10,000 and 100,000 tools in process; build time and heap of the index",
  dependsOnTools: true,
  seconds: { usual: 140, quick: 20 },
  async run({ data, internalsAddress, dataFolder, rounds }) {
    const lines = [];
    for (const { label, toolCount, semantic, most } of CATALOGS.slice(0, rounds(3, 2))) {
      const isLarge = toolCount > 10_000;
      const measured = await runFork(CHILD, {
        internals: internalsAddress,
        folder: dataFolder,
        toolCount,
        semantic,
        queryCount: isLarge ? 1500 : rounds(6000, 2000),
        naiveCount: isLarge ? 40 : rounds(400, 100),
        buildCount: isLarge ? 3 : rounds(7, 3),
      });
      const definitions = { definitionsMegabytes: definitionsOf(data, toolCount) };
      lines.push(...latencyLines(measured, label, most), ...indexLines({ ...measured, ...definitions }, label, most));
    }
    return lines;
  },
};

/** The size of the tool list, in megabytes of JSON. */
function definitionsOf(data, count) {
  return JSON.stringify(data.manyTools(count).map(toDefinition)).length / 1e6;
}

const BLOCKS = 10;

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
    {
      ...line("p50", 0.5, limits.p50),
      spread: spreadOf(inBlocks(searchMs, BLOCKS, 0.5)),
      note: `${searchMs.length} queries; spread of the medians of ${BLOCKS} blocks; single queries ${quantile(searchMs, 0.1).toFixed(2)} to ${quantile(searchMs, 0.9).toFixed(2)} ms`,
    },
    {
      ...line("p99", 0.99, limits.p99),
      spread: spreadOf(inBlocks(searchMs, BLOCKS, 0.99)),
      note: `spread of the p99 of ${BLOCKS} blocks; longest ${Math.max(...searchMs).toFixed(1)} ms; ${pauses.count} collections of ${pauses.medianMs.toFixed(2)} ms`,
    },
    {
      what: `${label}: p99 of those without a collection`,
      value: quantile(undisturbedMs, 0.99),
      unit: "ms",
      spread: spreadOf(inBlocks(undisturbedMs, BLOCKS, 0.99)),
      baseline: { name: "linear scan", value: quantile(naiveMs, 0.99) },
      ratio: quantile(undisturbedMs, 0.99) / quantile(naiveMs, 0.99),
      note: `${undisturbedMs.length} queries`,
    },
  ];
}

function indexLines({ buildMs, firstBuildMs, heapMegabytes, naiveMs, definitionsMegabytes }, label, limits) {
  const scan = median(naiveMs);
  const heap = median(heapMegabytes);
  return [
    {
      what: `${label}: index build`,
      value: median(buildMs),
      unit: "ms",
      spread: spreadOf(buildMs),
      baseline: { name: "one linear scan", value: scan },
      ratio: median(buildMs) / scan,
      note: `the first in a process ${firstBuildMs.toFixed(0)} ms`,
      ...(limits.build === undefined ? {} : { budget: { most: limits.build } }),
    },
    {
      what: `${label}: heap of the index`,
      value: heap,
      unit: "MB",
      spread: spreadOf(heapMegabytes),
      baseline: { name: "the definitions as JSON", value: definitionsMegabytes },
      ratio: heap / definitionsMegabytes,
      budget: { most: limits.heap },
      note: "vectors included, and the model where there is one",
    },
  ];
}
