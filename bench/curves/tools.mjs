import { join } from "node:path";
import { toPoint } from "../support/curve.mjs";
import { spreadOver, toDefinition } from "../support/data.mjs";
import { runFork } from "../support/fork.mjs";
import { createHome, createWarmHome } from "../support/home.mjs";
import { ROOT } from "../support/places.mjs";
import { startBare, startGateway } from "../support/starts.mjs";
import { inBlocks, median, quantile } from "../support/statistics.mjs";

const SIZES = [100, 1_000, 10_000, 30_000, 100_000];
const SERVERS = 100;
const QUERY = "read a file";
const child = (name) => join(ROOT, "bench/children", name);

/** Cost by the number of known tools on 100 servers. No server is started. */
export const curveTools = {
  name: "curve-tools",
  about: "cost by the number of known tools, 100 to 100,000",
  dependsOnTools: true,
  seconds: { usual: 180, quick: 65 },
  async run(context) {
    const measured = [];
    for (const size of SIZES) {
      console.error(`  ${size.toLocaleString("en-US")} tools`);
      measured.push(await measure(context, size));
    }
    return { lines: [], curve: toCurve(measured) };
  },
};

async function measure(context, size) {
  const { data, dataFolder, folder, internalsAddress, rounds } = context;
  const isLarge = size > 10_000;
  const tools = data.manyTools(size);
  const found = await runFork(child("search.mjs"), {
    internals: internalsAddress,
    folder: dataFolder,
    toolCount: size,
    semantic: true,
    queryCount: isLarge ? rounds(1000, 300) : rounds(2000, 1000),
    naiveCount: isLarge ? rounds(40, 10) : rounds(200, 100),
    buildCount: isLarge ? rounds(3, 1) : rounds(7, 3),
  });
  const servers = spreadOver(tools, SERVERS);
  const home = await createWarmHome(context, servers);
  const details = await measureDetails(home, servers, rounds);
  const starts = await measureStarts(home, createHome(folder, {}).env, isLarge ? rounds(3, 2) : rounds(7, 3));
  const definitionsMegabytes = JSON.stringify(tools.map(toDefinition)).length / 1e6;
  return { size, ...found, ...details, ...starts, definitionsMegabytes };
}

function measureDetails(home, servers, rounds) {
  const names = [...servers].flatMap(([server, tools]) => tools.map(({ name }) => [server, name]));
  const step = Math.max(Math.floor(names.length / 1000), 1);
  return runFork(child("engine.mjs"), {
    home,
    names: names.filter((_, index) => index % step === 0),
    detailsCount: rounds(2000, 1000),
    reloadCount: rounds(5, 3),
  });
}

async function measureStarts(home, bareEnv, count) {
  const seen = { bare: [], ours: [] };
  for (let round = 0; round < count; round += 1) {
    seen.bare.push(await startBare(bareEnv));
    seen.ours.push(await startGateway(home, search));
  }
  return seen;
}

async function search(server, elapsed) {
  const { results } = JSON.parse(await server.callText("search_tools", { query: QUERY }));
  if (results.length === 0) throw new Error(`A search for "${QUERY}" finds nothing.`);
  return { searchedMs: elapsed() };
}

function toCurve(measured) {
  const series = (name, toValues, toBaseline) => ({
    name,
    points: measured.map((one) => toPoint(one.size, toValues(one), toBaseline?.(one))),
  });
  const bareStart = ({ bare }) => ({ name: "a bare SDK server", values: bare.map(({ listedMs }) => listedMs) });
  const bareMemory = ({ bare }) => median(bare.map(({ megabytes }) => megabytes));
  const scan = (share) => (one) => ({ name: "a linear scan", values: inBlocks(one.naiveMs, 5, share) });
  return {
    name: "curve-tools",
    title: `What it costs to know more tools (on ${SERVERS} servers, none started)`,
    x: "tools known",
    panels: [
      {
        title: "Asking",
        unit: "ms",
        series: [
          series("search, p50", ({ searchMs }) => inBlocks(searchMs, 10, 0.5), scan(0.5)),
          series("search, p99", ({ searchMs }) => inBlocks(searchMs, 5, 0.99)),
          series("details of a tool", ({ detailsMs }) => inBlocks(detailsMs, 10, 0.5)),
        ],
      },
      {
        title: "Getting ready",
        unit: "ms",
        series: [
          series("start to first tools/list", ({ ours }) => ours.map(({ listedMs }) => listedMs), bareStart),
          series("start to first search answer", ({ ours }) => ours.map(({ searchedMs }) => searchedMs)),
          series("index build", ({ buildMs }) => buildMs),
          series("reload", ({ reloadMs }) => reloadMs),
        ],
      },
      {
        title: "Memory",
        unit: "MB",
        series: [
          series("process above a bare SDK server", (one) =>
            one.ours.map(({ megabytes }) => megabytes - bareMemory(one)),
          ),
          series(
            "heap of the index",
            ({ heapMegabytes }) => heapMegabytes,
            ({ definitionsMegabytes }) => ({ name: "the definitions as JSON", values: [definitionsMegabytes] }),
          ),
        ],
      },
    ],
    notes: [
      `search p99 at ${SIZES.at(-1).toLocaleString("en-US")} tools over all queries: ${quantile(measured.at(-1).searchMs, 0.99).toFixed(1)} ms`,
    ],
  };
}
