import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listDocuments, toAdapters } from "../support/documents.mjs";
import { createHome } from "../support/home.mjs";
import { LIBRARY, ROOT } from "../support/places.mjs";
import { createWordOverlap } from "../support/word-overlap.mjs";

const REQUESTS = join(ROOT, "test/relevance/intent/requests.json");
const NOTHING_HIDDEN = new Set();
const FIRST_TIME_MS = 120_000;

/** 150 plain-language requests over every operation of the API documents. Without the data folder the row measures nothing. */
export const intent = {
  name: "intent",
  about:
    "how often the right operation is first or among the first three: gateway.intent, search, BM25 and shared words",
  seconds: { usual: 12, quick: 12 },
  async run({ data, dataFolder, folder, internals }) {
    if (!data.isReal) {
      console.error("  skipped: ANYGPT_DATA names no folder with API documents");
      return [];
    }
    const documents = listDocuments(dataFolder);
    const { state, env } = createHome(folder, {});
    const { DiscoveryEngine } = await import(LIBRARY);
    const engine = new DiscoveryEngine(
      { profile: "gateway", adapters: toAdapters(documents) },
      { env, stateFolder: state },
    );
    try {
      const stages = await engine.known();
      await stages.refresh.whenKnown(FIRST_TIME_MS);
      const requests = readRequests(stages.snapshot(), documents);
      const lines = [];
      for (const [name, rank] of Object.entries(createRankers(stages, internals)))
        lines.push(...(await judge(name, rank, requests)));
      return lines;
    } finally {
      await engine.close();
    }
  },
};

/** The requests with the ids of their accepted operations. */
function readRequests({ tools }, documents) {
  const adapterOf = new Map(documents.map(({ path, adapter }) => [path, adapter]));
  const keyOf = (adapter, method, path) => `${adapter} ${method} ${path}`;
  // Omits the gateway's built-in tools, which are in the catalog too but call no API.
  const operations = [...tools.values()].filter(({ operation }) => operation !== undefined);
  const ids = new Map(
    operations.map(({ id, server, operation }) => [keyOf(server, operation.method, operation.path), id]),
  );
  return JSON.parse(readFileSync(REQUESTS, "utf8")).map((one) => ({
    ...one,
    accepted: one.accepted.map(({ document, method, path }) => {
      const id = ids.get(keyOf(adapterOf.get(document), method, path));
      if (id === undefined) throw new Error(`No tool is ${method} ${path} of ${document}.`);
      return id;
    }),
  }));
}

/** Each ranker returns the ids for a request, best first. */
function createRankers({ snapshot, discovery, gateway }, internals) {
  const tools = [...snapshot().tools.values()];
  const servers = snapshot().servers;
  const actor = { id: "bench", kind: "agent", surface: "mcp", scopes: [] };
  const ask = gateway.metaTools.find(({ name }) => name.endsWith("intent"));
  const bm25 = internals.createBm25(tools.map(internals.toBaselineDocument));
  const operations = tools.map((tool) => [tool.id, gateway.operations.of(tool, servers.get(tool.server))]);
  const overlap = createWordOverlap(operations);
  return {
    "gateway.intent": async ({ request, context }) => {
      const { data } = await ask.run({ query: request, ...(context === undefined ? {} : { context }) }, { actor });
      const { recommended, alternatives = [], options = [] } = data;
      const list = recommended === undefined ? options : [recommended, ...alternatives];
      return { ids: list.map((one) => one.tool_id), isSure: recommended !== undefined };
    },
    search: async ({ request }) => ({
      ids: (await discovery.search({ query: request, limit: 3 })).hits.map(({ tool }) => tool.id),
    }),
    BM25: async ({ request }) => ({ ids: bm25(request, NOTHING_HIDDEN).map(({ id }) => id) }),
    "shared words": async ({ request, context }) => ({ ids: overlap(request, context).map(({ id }) => id) }),
  };
}

const HALVES = ["report", "tune"];

async function judge(name, rank, requests) {
  const judged = [];
  for (const request of requests) {
    const { ids, isSure } = await rank(request);
    const isRight = (id) => request.accepted.includes(id);
    judged.push({ ...request, isSure, first: ids.slice(0, 1).some(isRight), three: ids.slice(0, 3).some(isRight) });
  }
  return HALVES.flatMap((half) => {
    const own = judged.filter((one) => one.half === half);
    const share = (list, isMeant) => (100 * list.filter(isMeant).length) / list.length;
    const line = (what, value, note) => ({
      what: `intent: ${name}, ${what}, half ${half}`,
      value,
      unit: "%",
      ...(note === undefined ? {} : { note }),
    });
    return [
      line(
        "right one first",
        share(own, (one) => one.first),
        toNote(name, own, share),
      ),
      line(
        "among three",
        share(own, (one) => one.three),
      ),
    ];
  });
}

function toNote(name, own, share) {
  const placed = own.filter(({ context }) => context !== undefined);
  const counts = `${own.length} requests, ${placed.length} of them with a context (${share(placed, (one) => one.first).toFixed(0)} % of those right)`;
  if (name !== "gateway.intent") return counts;
  const sure = own.filter(({ isSure }) => isSure);
  return `${counts}; ${sure.length} got a recommendation (${share(sure, (one) => one.first).toFixed(0)} % right), the others a choice; Stripe's and Paystack's countries and currencies are declared in the adapters as a user would, nothing else`;
}
