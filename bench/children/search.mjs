// Builds an index over many tools and runs many queries, in a separate process, so that heap and pauses can be measured.
import { PerformanceObserver } from "node:perf_hooks";
import { openData } from "../support/data.mjs";
import { createNaiveSearch } from "../support/naive-search.mjs";
import { createStaticDiscovery } from "../support/static-discovery.mjs";
import { median } from "../support/statistics.mjs";

const WARM_UP = 300;

process.once("message", async (task) => {
  const { internals: address, folder, toolCount, queryCount, naiveCount, buildCount, semantic } = task;
  const internals = { ...(await import(address)), semantic };
  const data = openData(folder);
  const tools = data.manyTools(toolCount);
  const queries = pickQueries(data, queryCount);

  // The first search also loads the model, which later searches share; every index needs it.
  const { discovery: _forgotten, ...firstBuild } = await build(tools, internals);
  let discovery;
  const heapMegabytes = [];
  const buildMs = [];
  for (let round = 0; round < buildCount; round += 1) {
    discovery = undefined;
    const built = await build(tools, internals);
    heapMegabytes.push(built.heapMegabytes);
    buildMs.push(built.milliseconds);
    discovery = built.discovery;
  }

  const sharedMegabytes = Math.max(firstBuild.heapMegabytes - median(heapMegabytes), 0);

  const naive = createNaiveSearch(tools.map((tool) => ({ ...tool, summary: internals.summarize(tool.description) })));
  const pauses = watchPauses();
  for (const query of queries.slice(0, WARM_UP)) await discovery.search({ query });
  const searches = await timeQueries(queries, (query) => discovery.search({ query }));
  const scans = await timeQueries(queries.slice(0, naiveCount), naive);
  const collected = await pauses.stop();
  const isPaused = ({ start, end }) => collected.some((pause) => pause.start < end && pause.end > start);

  process.send(
    {
      heapMegabytes: heapMegabytes.map((megabytes) => megabytes + sharedMegabytes),
      buildMs,
      firstBuildMs: firstBuild.milliseconds,
      searchMs: searches.map(toDuration),
      undisturbedMs: searches.filter((one) => !isPaused(one)).map(toDuration),
      naiveMs: scans.map(toDuration),
      pauses: { count: collected.length, medianMs: median(collected.map(toDuration)) },
    },
    () => process.disconnect(),
  );
});

const toDuration = ({ start, end }) => end - start;

/** Takes queries from all sets in turn, so that the query length or language of one set does not dominate the figures. */
function pickQueries(data, count) {
  const sets = data.searchSets().map(({ queries }) => queries);
  const longest = Math.max(...sets.map((queries) => queries.length));
  const mixed = [];
  for (let index = 0; index < longest; index += 1)
    for (const queries of sets) if (index < queries.length) mixed.push(queries[index]);
  return Array.from({ length: count }, (_, index) => mixed[index % mixed.length]);
}

/** The first search builds the index. Its memory is the growth since the catalog was loaded. */
async function build(tools, internals) {
  const discovery = createStaticDiscovery(tools, internals, internals.semantic);
  const before = heapInUse();
  const start = performance.now();
  await discovery.search({ query: "anything" });
  const milliseconds = performance.now() - start;
  return { discovery, milliseconds, heapMegabytes: (heapInUse() - before) / 1e6 };
}

/** Vectors are in WebAssembly memory, which only `external` includes. */
function heapInUse() {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function timeQueries(queries, search) {
  const times = [];
  for (const query of queries) {
    const start = performance.now();
    await search(query);
    times.push({ start, end: performance.now() });
  }
  return times;
}

function watchPauses() {
  const pauses = [];
  const note = (entries) => {
    for (const { startTime, duration } of entries) pauses.push({ start: startTime, end: startTime + duration });
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });
  return {
    async stop() {
      // The engine delivers its entries in a later turn of the event loop.
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
      note(observer.takeRecords());
      observer.disconnect();
      return pauses;
    },
  };
}
