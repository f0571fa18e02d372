import { createWarmHome, createHome } from "../support/home.mjs";
import { spreadOver } from "../support/data.mjs";
import { BARE, DISCOVERY } from "../support/places.mjs";
import { countDescendants, residentMegabytes } from "../support/processes.mjs";
import { median, spreadOf } from "../support/statistics.mjs";
import { startServer } from "../support/stdio-server.mjs";

const SERVERS = 1000;
const TOOLS = 10_000;
const ON_ONE_SERVER = 1000;

/** The largest catalog that must work: it starts, finds, and starts nobody. */
export const limits = {
  name: "limits",
  about: "1,000 servers with 10,000 tools, 1,000 of them on one server",
  dependsOnTools: true,
  async run(context) {
    const { data, folder, rounds } = context;
    const tools = data.manyTools(TOOLS);
    const servers = new Map([
      ...spreadOver(tools.slice(ON_ONE_SERVER), SERVERS - 1),
      ["the-largest", [...spreadOver(tools.slice(0, ON_ONE_SERVER), 1).values()][0]],
    ]);
    const home = await createWarmHome(context, servers);
    const { env } = createHome(folder, {});
    const seen = { bare: [], starts: [], searches: [], children: [], megabytes: [] };
    for (let round = 0; round < rounds(5, 2); round += 1) {
      seen.bare.push((await measureStart([BARE], env)).start);
      const { start, search, children, megabytes } = await measureStart(
        [DISCOVERY, "--config", home.config],
        home.env,
        {
          query: "read a file",
        },
      );
      seen.starts.push(start);
      seen.searches.push(search);
      seen.children.push(children);
      seen.megabytes.push(megabytes);
    }
    const bare = median(seen.bare);
    const line = (what, values) => ({
      what,
      value: median(values),
      unit: "ms",
      spread: spreadOf(values),
      baseline: { name: "bare SDK server's start", value: bare },
      ratio: median(values) / bare,
    });
    return [
      line("at the limits: start to first tools/list", seen.starts),
      line("at the limits: start to first search answer", seen.searches),
      {
        what: "at the limits: children started",
        value: Math.max(...seen.children),
        unit: "processes",
        budget: { most: 0 },
      },
      {
        what: "at the limits: resident memory",
        value: median(seen.megabytes),
        unit: "MB",
        spread: spreadOf(seen.megabytes),
      },
    ];
  },
};

async function measureStart(command, env, { query } = {}) {
  const started = performance.now();
  const server = startServer(command, env);
  try {
    await server.open();
    await server.request("tools/list");
    const start = performance.now() - started;
    if (query === undefined) return { start };
    const { results } = JSON.parse(await server.callText("search_tools", { query }));
    if (results.length === 0) throw new Error(`A search for "${query}" over ${TOOLS} tools finds nothing.`);
    const search = performance.now() - started;
    return { start, search, children: countDescendants(server.pid), megabytes: residentMegabytes(server.pid) };
  } finally {
    await server.close();
  }
}
