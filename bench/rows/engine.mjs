import { readFileSync } from "node:fs";
import { spreadOver } from "../support/data.mjs";
import { createWarmHome } from "../support/home.mjs";
import { LIBRARY } from "../support/places.mjs";
import { median, quantile, spreadOf, timeEach } from "../support/statistics.mjs";

/** The library over 100 servers with 1,000 known tools. */
export const engine = {
  name: "engine",
  about: "list servers, details and reload in process; share of look-ups that ask no server",
  dependsOnTools: true,
  async run(context) {
    const { data, rounds } = context;
    const servers = spreadOver(data.manyTools(1000), 100);
    const home = await createWarmHome(context, servers);
    const { DiscoveryEngine } = await import(LIBRARY);
    const config = JSON.parse(readFileSync(home.config, "utf8"));
    const open = () => new DiscoveryEngine(config, { env: home.env, stateFolder: home.state });
    const gateway = open();
    try {
      const names = [...servers].flatMap(([server, tools]) => tools.map(({ name }) => [server, name]));
      await gateway.listServers();
      return [
        await timeAnswers(() => gateway.listServers(), { what: "list servers", count: rounds(1000, 200), most: 5 }),
        await timeAnswers((round) => gateway.getToolDetails(...names[round % names.length]), {
          what: "details of a tool",
          count: rounds(3000, 1000),
          most: 1,
        }),
        await timeReload(gateway, { open, count: rounds(21, 7) }),
        await countHits(open, names),
      ];
    } finally {
      await gateway.close();
    }
  },
};

/** The answer's own journey through JSON is the least that any surface pays for it. */
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

async function timeReload(gateway, { open, count }) {
  const opened = await timeEach(count, async () => {
    const fresh = open();
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

/** A session of two hundred look-ups: lists, mostly details, and calls that are refused for their arguments. */
async function countHits(open, names) {
  const session = open();
  try {
    for (let step = 0; step < 200; step += 1) {
      const [server, tool] = names[(step * 37) % names.length];
      if (step % 10 === 0) await session.listTools(server);
      else if (step % 3 === 0) await session.executeTool(server, tool, "no object");
      else await session.getToolDetails(server, tool);
    }
    const { hits, misses } = (await session.stages()).lookup.counts();
    return {
      what: "look-ups answered without asking a server",
      value: (100 * hits) / (hits + misses),
      unit: "%",
      budget: { least: 80 },
      note: `${hits + misses} look-ups on a warm catalog`,
    };
  } finally {
    await session.close();
  }
}
