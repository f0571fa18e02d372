import { createWarmHome, createHome } from "../support/home.mjs";
import { spreadOver } from "../support/data.mjs";
import { startBare, startGateway } from "../support/starts.mjs";
import { median, spreadOf } from "../support/statistics.mjs";

const SERVERS = 1000;
const TOOLS = 10_000;
const ON_ONE_SERVER = 1000;
const LARGEST = "the-largest";
const QUERY = "read a file";

/** The largest catalog that must work: start, search and details, without starting a server process. */
export const limits = {
  name: "limits",
  about: "largest supported catalog: 1,000 servers with 10,000 tools, 1,000 of them on one server",
  dependsOnTools: true,
  seconds: { usual: 20, quick: 6 },
  async run(context) {
    const { data, folder, rounds } = context;
    const tools = data.manyTools(TOOLS);
    const largest = [...spreadOver(tools.slice(0, ON_ONE_SERVER), 1).values()][0];
    const servers = new Map([...spreadOver(tools.slice(ON_ONE_SERVER), SERVERS - 1), [LARGEST, largest]]);
    const home = await createWarmHome(context, servers);
    const { env } = createHome(folder, {});
    const seen = { bare: [], ours: [] };
    for (let round = 0; round < rounds(5, 2); round += 1) {
      seen.bare.push(await startBare(env));
      seen.ours.push(await startGateway(home, (server, elapsed) => askAll(server, elapsed, largest.at(-1).name)));
    }
    return toLines(seen);
  },
};

/** Calls every meta-tool for the whole catalog and for the server with the most tools. */
async function askAll(server, elapsed, lastTool) {
  const ask = async (tool, args) => JSON.parse(await server.callText(tool, args));
  const { results } = await ask("search_tools", { query: QUERY });
  const searchedMs = elapsed();
  const listed = await ask("list_mcp_servers", {});
  const there = await ask("search_tools", { query: QUERY, server: LARGEST });
  const details = await ask("get_tool_details", { server: LARGEST, tool: lastTool });
  const all = await ask("list_tools", { server: LARGEST });
  const answered = {
    "a search has results": results.length > 0,
    "every server is counted": listed.servers.length + (listed.more ?? 0) === SERVERS,
    "a search of the largest server has results": there.results.length > 0,
    "the details of its last tool are returned": Array.isArray(details.parameters),
    "all its tools are counted": all.tools.length + (all.more ?? 0) === ON_ONE_SERVER,
  };
  return { searchedMs, wrong: Object.keys(answered).filter((what) => !answered[what]) };
}

function toLines({ bare, ours }) {
  const pick = (list, member) => list.map((one) => one[member]);
  const line = (what, member, { unit, from, name, more = {} }) => ({
    what: `at the limits: ${what}`,
    value: median(pick(ours, member)),
    unit,
    spread: spreadOf(pick(ours, member)),
    baseline: { name, value: median(pick(bare, from)) },
    ratio: median(pick(ours, member)) / median(pick(bare, from)),
    ...more,
  });
  const start = { unit: "ms", from: "listedMs", name: "bare SDK server's start" };
  const children = Math.max(...pick(ours, "children"));
  const wrong = ours.flatMap((one) => one.wrong);
  return [
    line("start to first tools/list", "listedMs", start),
    line("start to first search answer", "searchedMs", start),
    {
      what: "at the limits: children started",
      value: children,
      unit: "processes",
      baseline: { name: "servers known", value: SERVERS },
      ratio: children / SERVERS,
      budget: { most: 0 },
    },
    {
      what: "at the limits: wrong answers",
      value: wrong.length,
      unit: "answers",
      baseline: { name: "asked", value: 5 * ours.length },
      ratio: wrong.length / (5 * ours.length),
      budget: { most: 0 },
      ...(wrong.length === 0 ? {} : { note: `violated: ${[...new Set(wrong)].join(", ")}` }),
    },
    line("resident memory", "megabytes", { unit: "MB", from: "megabytes", name: "bare SDK server" }),
  ];
}
