import { join } from "node:path";
import { median, sum } from "../../support/statistics.mjs";
import { tokensOf } from "../../support/tokens.mjs";
import { serveCatalog } from "../support/catalogs.mjs";
import { loadRankers, readSets, servedId } from "../support/judged-queries.mjs";
import { TooSlow, until, within } from "../support/limit.mjs";
import { createHome, withPeer } from "../support/session.mjs";

const ANSWER_LIMIT_MS = 30_000;
const SET_LIMIT_MS = 150_000;
const MEASURES = ["ndcg@10", "hit@1", "recall@5"];

const ALL_SETS = ["mcpproxy-golden", "livemcp-steps", "azure-mcp-2025", "metatool", "bfcl"];
/** toolbench is not used: gateways do not allow most names of its servers and tools, and its 811 servers cannot all run as processes. */
const USUAL = { names: ALL_SETS, most: 120 };
const QUICK = { names: ["mcpproxy-golden", "azure-mcp-2025"], most: 40 };

/** The same queries over the same tools, through the search of each gateway. */
export const search = {
  name: "search",
  about: "quality and tokens of search answers on labelled queries (needs ANYGPT_DATA)",
  seconds: { usual: 180, quick: 30 },
  async run(context) {
    if (context.dataFolder === undefined) {
      context.say("search is skipped: it needs the labelled queries in ANYGPT_DATA");
      return;
    }
    const rankers = await loadRankers(context.folder);
    const sets = await readSets(context.dataFolder, rankers, context.isQuick ? QUICK : USUAL);
    const rows = [];
    for (const peer of context.peers.filter(({ adapter }) => adapter.name !== "direct")) {
      rows.push(await runPeer(context, peer, { sets, rankers }));
    }
    for (const [name, create] of [
      ["BM25", rankers.createBm25],
      ["MiniSearch 7.2.0", rankers.createMiniSearch],
    ]) {
      context.say(`search: ${name}`);
      rows.push(await runRanker({ name, create }, { sets, rankers }));
    }
    context.show(toTable(sets, rows));
  },
};

async function runPeer(context, peer, { sets, rankers }) {
  const { name, notes = {} } = peer.adapter;
  if (!peer.adapter.canSearch) return { name, cells: {}, notes: { row: notes.search } };
  const results = [];
  for (const set of sets) {
    context.say(`search in ${set.name}: ${name}`);
    try {
      const outcome = await askAll(context, peer, { set, rankers });
      results.push({ set: set.name, ...outcome });
    } catch (error) {
      return {
        name,
        cells: {},
        notes: { row: `${name} was skipped in ${set.name} after an error: ${error.message.replace(/\.$/, "")}` },
      };
    }
  }
  return { name, cells: toCells(results), notes: notes.search === undefined ? {} : { row: notes.search }, results };
}

async function askAll(context, peer, { set, rankers }) {
  const { servers } = serveCatalog(join(context.folder, `set-${set.name}-${peer.adapter.name}`), set.toolsByServer);
  const home = createHome(context.folder, peer.adapter.name);
  return await withPeer(peer, { servers, home }, async (gateway) => {
    await untilKnown(gateway, set);
    const scores = [];
    const tokens = [];
    const times = [];
    const end = performance.now() + SET_LIMIT_MS;
    for (const { query, relevant } of set.queries) {
      if (performance.now() > end) throw new TooSlow(set.name, SET_LIMIT_MS);
      const began = performance.now();
      const text = await within(ANSWER_LIMIT_MS, "An answer", gateway.look({ query }));
      times.push(performance.now() - began);
      tokens.push(tokensOf(text));
      const ids = (await gateway.search(query)).map(([server, tool]) => `${server}:${tool}`);
      scores.push(rankers.scoreAnswer(relevant, ids.slice(0, 10)));
    }
    return { scores: meanOf(scores), tokens: median(tokens), ms: median(times) };
  });
}

/** Waits until the tools of every server can be found, unless the gateway's search cannot find a tool by its name. */
async function untilKnown(gateway, { toolsByServer }) {
  for (const [server, [tool]] of toolsByServer) {
    await until(3000, async () => {
      const hits = await gateway.search(`${server} ${tool.name}`);
      return hits.some(([found]) => found === server);
    });
  }
}

async function runRanker({ name, create }, { sets, rankers }) {
  const results = [];
  for (const set of sets) {
    const documents = set.tools.map(({ server, definition, tags }) =>
      rankers.toBaselineDocument({
        id: servedId(`${server}:${definition.name}`),
        server,
        name: definition.name,
        definition,
        tags,
      }),
    );
    const rank = await create(documents);
    const scores = set.queries.map(({ query, relevant }) =>
      rankers.scoreAnswer(
        relevant,
        rank(query, new Set()).map(({ id }) => id),
      ),
    );
    results.push({ set: set.name, scores: meanOf(scores) });
  }
  return {
    name,
    cells: toCells(results),
    notes: { row: `${name} is a ranker in this process and has no answer of its own` },
    results,
  };
}

function meanOf(scores) {
  return Object.fromEntries(
    MEASURES.map((measure) => [measure, sum(scores.map((one) => one[measure])) / scores.length]),
  );
}

/** Each set has the same weight. */
function toCells(results) {
  const mean = (read) => sum(results.map(read)) / results.length;
  const cells = Object.fromEntries(MEASURES.map((measure) => [measure, mean(({ scores }) => scores[measure])]));
  for (const { set, scores } of results) cells[set] = scores["ndcg@10"];
  const hasAnswers = results.every(({ tokens }) => tokens !== undefined);
  return hasAnswers ? { ...cells, tokens: mean(({ tokens }) => tokens), ms: mean(({ ms }) => ms) } : cells;
}

function toTable(sets, rows) {
  const quality = { better: "high", digits: 3 };
  const queries = sum(sets.map((set) => set.queries.length));
  return {
    title: `Search, ${queries} labelled queries on ${sets.length} catalogs`,
    columns: [
      ...MEASURES.map((measure) => ({ key: measure, label: measure, ...quality })),
      ...sets.map(({ name }) => ({ key: name, label: name, ...quality })),
      { key: "tokens", label: "tokens", better: "low", margin: 0.02 },
      { key: "ms", label: "ms", better: "low", margin: 0.1 },
    ],
    rows,
    notes: [
      "The first three are means over catalogs; then nDCG@10 of each. tokens and ms are of an answer in the",
      "median per catalog, averaged over catalogs, through MCP. Queries: half `report`, without queries whose tools were used to train the model; no gateway was tuned on them.",
      `Tools and queries: ${sets.map(({ name, tools, queries: asked }) => `${name} ${tools.length} and ${asked.length}`).join(", ")}.`,
    ],
  };
}
