import { join } from "node:path";
import { tokensOf } from "../../support/tokens.mjs";
import { endAll, processesOf, proportionalMegabytes, residentMegabytes } from "../support/census.mjs";
import { isServer, manyServers, serveCatalog } from "../support/catalogs.mjs";
import { until, within } from "../support/limit.mjs";
import { createHome, openPeer } from "../support/session.mjs";

const LIMIT_MS = 90_000;

/** Time from the start of the process to an answer that contains the requested tool, by the number of configured servers. */
export const start = {
  name: "start",
  about: "time to the first usable search (or tool list), processes started, memory, tokens of tools/list",
  seconds: { usual: 300, quick: 50 },
  async run(context) {
    const counts = context.isQuick ? [20] : [1, 20, 120];
    for (const count of counts) context.show(await runCount(context, count));
  },
};

const time = { better: "low", margin: 0.1 };
const exact = { better: "low", margin: 0.02 };
const COLUMNS = [
  { key: "answered", label: "cold: answers s", ...time },
  { key: "cold", label: "cold s", ...time },
  { key: "warm", label: "warm s", ...time },
  { key: "startedCold", label: "started cold", better: "low" },
  { key: "startedWarm", label: "started warm", better: "low" },
  { key: "running", label: "running warm", better: "low" },
  { key: "gateway", label: "gateway MB", better: "low", margin: 0.05 },
  { key: "tree", label: "all MB", better: "low", margin: 0.05 },
  { key: "tools", label: "tools listed" },
  { key: "tokens", label: "list tokens", ...exact },
];

async function runCount(context, count) {
  const { toolsByServer, needle } = manyServers(context.dataFolder, count);
  const toolCount = [...toolsByServer.values()].flat().length;
  const rows = [];
  for (const peer of context.peers.filter(({ adapter }) => adapter.name !== "direct")) {
    const { name, notes } = peer.adapter;
    context.say(`start, ${count} servers: ${name}`);
    const row = { name, cells: {}, notes: notes?.start === undefined ? {} : { warm: notes.start } };
    try {
      const catalog = serveCatalog(join(context.folder, `catalog-${count}-${name}`), toolsByServer);
      row.cells = await measure(peer, { catalog, needle, folder: context.folder });
    } catch (error) {
      row.notes.row = `${name} was skipped after an error: ${error.message.replace(/\.$/, "")}`;
    }
    rows.push(row);
  }
  const kind = context.dataFolder === undefined ? "synthetic" : "real";
  return {
    title: `Start with ${count} ${count === 1 ? "server" : "servers"}, ${toolCount.toLocaleString("en-US")} ${kind} tools`,
    columns: COLUMNS,
    rows,
    notes: [
      "cold is the first start in an empty home, warm the second. The clock stops when an answer contains the requested tool (answers: at the first answer),",
      "which is on the last server. started: server processes until then. running and MB: right after the warm answer; gateway is RSS, all (with servers) is PSS.",
    ],
  };
}

async function measure(peer, { catalog, needle, folder }) {
  const home = createHome(folder, peer.adapter.name);
  try {
    const cold = await startOnce(peer, { catalog, needle, home });
    const warm = await startOnce(peer, { catalog, needle, home, isLast: true });
    return {
      answered: cold.answered,
      cold: cold.seconds,
      warm: warm.seconds,
      startedCold: cold.started,
      startedWarm: warm.started,
      running: warm.running,
      gateway: warm.gateway,
      tree: warm.tree,
      tools: warm.tools,
      tokens: warm.tokens,
    };
  } finally {
    await endAll(home);
  }
}

async function startOnce(peer, { catalog, needle, home, isLast = false }) {
  const before = catalog.countStarts();
  const began = performance.now();
  const gateway = await openPeer(peer, { servers: catalog.servers, home });
  try {
    const answeredAt = await within(LIMIT_MS, "The first usable answer", lookFor(gateway, needle));
    const seconds = (performance.now() - began) / 1000;
    const started = catalog.countStarts() - before;
    const all = processesOf(home);
    const servers = all.filter(isServer);
    const figures = {
      answered: (answeredAt - began) / 1000,
      seconds,
      started,
      running: servers.length,
      gateway: residentMegabytes(all.filter((one) => !isServer(one))),
      tree: proportionalMegabytes(all),
    };
    const tools = await gateway.listTools();
    if (!isLast) await settle(catalog);
    return { ...figures, tools: tools.length, tokens: tokensOf(tools) };
  } finally {
    await gateway.close();
    if (isLast) gateway.stop();
    // Only processes that the gateway keeps running by design may still run during the second start.
    if (isLast || peer.adapter.stop === undefined) await endAll(home);
  }
}

/** Repeats the request until an answer contains the tool. Also returns the time of the first answer of any kind. */
async function lookFor(gateway, needle) {
  let answeredAt;
  const isIn = async () => {
    const text = await gateway.look(needle);
    answeredAt ??= performance.now();
    return text.includes(needle.tool);
  };
  if (await until(LIMIT_MS, isIn, 50)) return answeredAt;
  throw new Error(`No answer has the tool ${needle.tool}.`);
}

/** Waits until the background work of the first start has finished, so that it does not affect the second start. */
async function settle(catalog) {
  let last = -1;
  await until(
    20_000,
    () => {
      const now = catalog.countStarts();
      const isQuiet = now === last;
      last = now;
      return isQuiet;
    },
    700,
  );
}
