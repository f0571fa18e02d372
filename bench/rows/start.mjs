import { createHome, createWarmHome } from "../support/home.mjs";
import { spreadOver } from "../support/data.mjs";
import { BARE, DISCOVERY } from "../support/places.mjs";
import { countDescendants } from "../support/processes.mjs";
import { median, spreadOf } from "../support/statistics.mjs";
import { startServer } from "../support/stdio-server.mjs";

const SERVERS = 100;

/** Time from the start of the process to its answer to the first tools/list, measured by the client. */
export const start = {
  name: "start",
  about: "process start to the first tools/list answer, 100 servers with 1,000 tools known",
  dependsOnTools: true,
  seconds: { usual: 30, quick: 12 },
  async run(context) {
    const { data, folder, rounds } = context;
    const home = await createWarmHome(context, spreadOver(data.manyTools(1000), SERVERS));
    const bare = createHome(folder, {});
    const times = { ours: [], bare: [] };
    let children = 0;
    for (let round = 0; round < rounds(25, 15); round += 1) {
      times.bare.push(await timeStart([BARE], bare.env, () => undefined));
      const countChildren = async (server) => {
        await server.callText("search_tools", { query: "read a file" });
        children = Math.max(children, countDescendants(server.pid));
      };
      times.ours.push(await timeStart([DISCOVERY, "--config", home.config], home.env, countChildren));
    }
    const baseline = median(times.bare);
    return [
      {
        what: "start to first tools/list",
        value: median(times.ours),
        unit: "ms",
        spread: spreadOf(times.ours),
        baseline: { name: "bare SDK server", value: baseline },
        ratio: median(times.ours) / baseline,
        budget: { most: 2, of: "ratio" },
        note: `${times.ours.length} starts of each in turn`,
      },
      {
        what: "children started by the first search",
        value: children,
        unit: "processes",
        baseline: { name: "servers known", value: SERVERS },
        ratio: children / SERVERS,
        budget: { most: 0 },
      },
    ];
  },
};

/** `afterwards` runs after the measurement, because the gateway reads the catalog only after its first answer. */
async function timeStart(command, env, afterwards) {
  const started = performance.now();
  const server = startServer(command, env);
  try {
    await server.open();
    await server.request("tools/list");
    const ms = performance.now() - started;
    await afterwards(server);
    return ms;
  } finally {
    await server.close();
  }
}
