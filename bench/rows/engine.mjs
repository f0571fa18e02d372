import { spreadOver } from "../support/data.mjs";
import { checkKnown, openEngine } from "../support/engine.mjs";
import { createHome, createWarmHome } from "../support/home.mjs";
import { ECHO } from "../support/places.mjs";
import { median, quantile, spreadOf, timeEach } from "../support/statistics.mjs";

/** The library over 100 servers with 1,000 known tools. */
export const engine = {
  name: "engine",
  about: "server list, tool details and reload in the library; share of lookups that contact no server",
  dependsOnTools: true,
  seconds: { usual: 15, quick: 6 },
  async run(context) {
    const { data, rounds } = context;
    const servers = spreadOver(data.manyTools(1000), 100);
    const home = await createWarmHome(context, servers);
    const gateway = await openEngine(home);
    try {
      const names = [...servers].flatMap(([server, tools]) => tools.map(({ name }) => [server, name]));
      await checkKnown(gateway);
      return [
        await timeAnswers(() => gateway.listServers(), { what: "list servers", count: rounds(1000, 200), most: 5 }),
        await timeAnswers((round) => detailsOf(gateway, names[round % names.length]), {
          what: "details of a tool",
          count: rounds(3000, 1000),
          most: 1,
        }),
        await timeReload(gateway, { home, count: rounds(21, 7) }),
        await measureHits(context, home, names),
      ];
    } finally {
      await gateway.close();
    }
  },
};

/** Throws if a tool is unknown: an empty answer would be fast and would falsify the measurement. */
async function detailsOf(gateway, [server, tool]) {
  const details = await gateway.getToolDetails(server, tool);
  if (details === null) throw new Error(`${server}:${tool} is unknown.`);
  return details;
}

/** The baseline: serialising and parsing the answer as JSON, which every surface has to do. */
async function timeAnswers(ask, { what, count, most }) {
  const answers = [];
  await timeEach(100, ask);
  const times = await timeEach(count, async (round) => answers.push(await ask(round)));
  const json = await timeEach(count, (round) => JSON.parse(JSON.stringify(answers[round])));
  return {
    what: `${what}, in process`,
    value: median(times),
    unit: "ms",
    spread: spreadOf(times),
    baseline: { name: "the answer through JSON and back", value: median(json) },
    ratio: median(times) / median(json),
    budget: { most },
    note: `p99 ${quantile(times, 0.99).toFixed(3)} ms`,
  };
}

async function timeReload(gateway, { home, count }) {
  const opened = await timeEach(count, async () => {
    const fresh = await openEngine(home);
    await fresh.listServers();
    await fresh.close();
  });
  const times = await timeEach(count, () => gateway.reload());
  return {
    what: "reload, in process",
    value: median(times),
    unit: "ms",
    spread: spreadOf(times),
    baseline: { name: "opening a new engine", value: median(opened) },
    ratio: median(times) / median(opened),
    budget: { most: 500 },
    note: "100 servers, 1,000 tools",
  };
}

const COLD_SERVERS = 10;
const ECHO_TOOLS = ["echo", "add", "pid", "meta"];

/** With a stored catalog, compared with a catalog that has to be loaded from the servers. */
async function measureHits(context, home, names) {
  const rounds = context.rounds(5, 2);
  const warm = [];
  const cold = [];
  for (let round = 0; round < rounds; round += 1) {
    warm.push(await countHits(home, names));
    cold.push(await countHits(...createCold(context)));
  }
  const shares = warm.map(({ share }) => share);
  const coldShare = median(cold.map(({ share }) => share));
  return {
    what: "lookups answered without contacting a server",
    value: median(shares),
    unit: "%",
    spread: spreadOf(shares),
    baseline: { name: `${COLD_SERVERS} servers, none known at first`, value: coldShare },
    ratio: median(shares) / coldShare,
    budget: { least: 80 },
    note: `${warm[0].count} look-ups on a warm catalog, ${cold[0].count} on the other`,
  };
}

function createCold({ folder }) {
  const servers = Array.from({ length: COLD_SERVERS }, (_, index) => `echo-${index}`);
  const server = { command: process.execPath, args: [ECHO] };
  const home = createHome(folder, { servers: Object.fromEntries(servers.map((name) => [name, server])) });
  return [home, servers.flatMap((name) => ECHO_TOOLS.map((tool) => [name, tool]))];
}

/** A session of 200 lookups: lists, mostly tool details, and calls with invalid arguments. */
async function countHits(home, names) {
  const session = await openEngine(home);
  try {
    for (let step = 0; step < 200; step += 1) {
      const [server, tool] = names[(step * 37) % names.length];
      if (step % 10 === 0) await session.listTools(server);
      else if (step % 3 === 0) await session.executeTool(server, tool, "no object");
      else await detailsOf(session, [server, tool]);
    }
    const { hits, misses } = (await session.stages()).lookup.counts();
    return { share: (100 * hits) / (hits + misses), count: hits + misses };
  } finally {
    await session.close();
  }
}
