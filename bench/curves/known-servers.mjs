import { join } from "node:path";
import { spreadOver } from "../support/data.mjs";
import { runFork } from "../support/fork.mjs";
import { createHome, createWarmHome } from "../support/home.mjs";
import { ROOT } from "../support/places.mjs";
import { startBare, startGateway } from "../support/starts.mjs";
import { median, timeEach } from "../support/statistics.mjs";

const COUNTS = [1, 10, 100, 300, 1_000];
const TOOLS_EACH = 10;
const CHILD = join(ROOT, "bench/children/engine.mjs");

/** Start, list and reload times of a gateway by the number of known servers. */
export async function measureKnown(context) {
  const { data, folder, rounds } = context;
  const measured = [];
  for (const count of COUNTS) {
    console.error(`  ${count.toLocaleString("en-US")} known`);
    const servers = spreadOver(data.manyTools(count * TOOLS_EACH), count);
    const home = await createWarmHome(context, servers);
    const bareEnv = createHome(folder, {}).env;
    const seen = { count, bare: [], ours: [] };
    for (let round = 0; round < rounds(9, 3); round += 1) {
      seen.bare.push(await startBare(bareEnv, ask("one", { text: "hello" })));
      seen.ours.push(await startGateway(home, ask("list_mcp_servers", {})));
    }
    const [[server, [tool]]] = servers;
    const input = { home, names: [[server, tool.name]], detailsCount: 1, reloadCount: rounds(9, 3) };
    measured.push({ ...seen, ...(await runFork(CHILD, input)) });
  }
  return measured;
}

/** The first answer includes the wait for the catalog; the later ones show what an agent waits for. */
function ask(tool, args) {
  return async (server) => {
    await server.callText(tool, args);
    return { askedMs: median(await timeEach(20, () => server.callText(tool, args))) };
  };
}
