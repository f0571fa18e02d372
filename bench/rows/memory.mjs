import { createHome, createWarmHome } from "../support/home.mjs";
import { spreadOver } from "../support/data.mjs";
import { BARE, DISCOVERY } from "../support/places.mjs";
import { residentMegabytes } from "../support/processes.mjs";
import { median, spreadOf } from "../support/statistics.mjs";
import { withServer } from "../support/stdio-server.mjs";

const QUERIES = ["read a file", "create an issue", "send a message"];

/** Resident memory of the gateway process, compared with a server with five tools. */
export const memory = {
  name: "memory",
  about: "memory above a bare SDK server, 100 servers with 1,000 tools known, none started",
  dependsOnTools: true,
  seconds: { usual: 20, quick: 10 },
  async run(context) {
    const { data, folder, rounds } = context;
    const home = await createWarmHome(context, spreadOver(data.manyTools(1000), 100));
    const { env } = createHome(folder, {});
    const seen = { bare: [], listed: [], searched: [] };
    for (let round = 0; round < rounds(9, 5); round += 1) {
      seen.bare.push(await measureBare(env));
      const { listed, searched } = await measureOurs(home);
      seen.listed.push(listed);
      seen.searched.push(searched);
    }
    const bare = median(seen.bare);
    const line = (what, values) => ({
      what: `memory above bare, ${what}`,
      value: median(values) - bare,
      unit: "MB",
      spread: spreadOf(values.map((value) => value - bare)),
      baseline: { name: "bare SDK server", value: bare },
      ratio: median(values) / bare,
      budget: { most: 50 },
    });
    return [line("catalog read", seen.listed), line("index built, after searches", seen.searched)];
  },
};

function measureBare(env) {
  return withServer([BARE], env, async (server) => {
    await server.request("tools/list");
    for (const text of QUERIES) await server.callText("one", { text });
    return residentMegabytes(server.pid);
  });
}

/** Lists the servers, because that waits for the catalog, which the gateway reads after its first answer. */
function measureOurs(home) {
  return withServer([DISCOVERY, "--config", home.config], home.env, async (server) => {
    await server.request("tools/list");
    await server.callText("list_mcp_servers", {});
    const listed = residentMegabytes(server.pid);
    for (const query of QUERIES) await server.callText("search_tools", { query });
    return { listed, searched: residentMegabytes(server.pid) };
  });
}
