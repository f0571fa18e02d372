import { fileURLToPath } from "node:url";
import { runFork } from "../support/fork.mjs";
import { median, quantile, spreadOf } from "../support/statistics.mjs";

const CHILD = fileURLToPath(new URL("../children/search.mjs", import.meta.url));
const TOOLS = 10_000;

/** Search and its index at the largest catalog that must work, in process. */
export const searchLatency = {
  name: "search-latency",
  about: `search over ${TOOLS} tools in process, the index's build time and heap`,
  dependsOnTools: true,
  async run({ internalsAddress, dataFolder, rounds }) {
    const measured = await runFork(CHILD, {
      internals: internalsAddress,
      folder: dataFolder,
      toolCount: TOOLS,
      queryCount: rounds(6000, 2000),
      naiveCount: rounds(400, 100),
      buildCount: rounds(7, 3),
    });
    return [...latencyLines(measured), ...indexLines(measured)];
  },
};

function latencyLines({ searchMs, undisturbedMs, naiveMs, pauses }) {
  const line = (what, share, most) => ({
    what: `search, ${what}`,
    value: quantile(searchMs, share),
    unit: "ms",
    baseline: { name: "linear scan", value: quantile(naiveMs, share) },
    ratio: quantile(searchMs, share) / quantile(naiveMs, share),
    budget: { most },
  });
  return [
    { ...line("p50", 0.5, 2), spread: spreadOf(searchMs), note: `${searchMs.length} queries` },
    {
      ...line("p99", 0.99, 10),
      spread: { low: quantile(searchMs, 0.95), high: Math.max(...searchMs) },
      note: `spread is p95 to the longest; ${pauses.count} collections of ${pauses.medianMs.toFixed(2)} ms`,
    },
    {
      what: "search, p99 of those without a collection",
      value: quantile(undisturbedMs, 0.99),
      unit: "ms",
      spread: { low: quantile(undisturbedMs, 0.95), high: Math.max(...undisturbedMs) },
      note: `${undisturbedMs.length} queries`,
    },
  ];
}

function indexLines({ buildMs, heapMegabytes, naiveMs }) {
  const scan = median(naiveMs);
  return [
    {
      what: "index build",
      value: median(buildMs),
      unit: "ms",
      spread: spreadOf(buildMs),
      baseline: { name: "one linear scan", value: scan },
      ratio: median(buildMs) / scan,
      budget: { most: 1000 },
    },
    { what: "heap of the index", value: heapMegabytes, unit: "MB", budget: { most: 100 } },
  ];
}
