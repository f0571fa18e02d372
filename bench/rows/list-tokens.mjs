import { createHome, createWarmHome } from "../support/home.mjs";
import { DISCOVERY, officialServer } from "../support/places.mjs";
import { spreadOver, toDefinition } from "../support/data.mjs";
import { median, spreadOf, sum } from "../support/statistics.mjs";
import { withServer } from "../support/stdio-server.mjs";
import { tokensOf } from "../support/tokens.mjs";

const STARTS = 3;
const OFFICIAL = [["everything"], ["filesystem", "."], ["memory"], ["sequential-thinking"]];

/** Tokens of every conversation before the first request: the gateway's tools and instructions, compared with those of all servers behind it. */
export const listTokens = {
  name: "list-tokens",
  about: "tokens of tools/list and of the instructions",
  seconds: { usual: 5, quick: 5 },
  async run(context) {
    const { data } = context;
    const tools = data.realTools();
    const servers = spreadOver(tools.slice(0, 1000), 100);
    const discovery = await listOurs(context, servers, {});
    const gateway = await listOurs(context, servers, { profile: "gateway" });
    const official = await listOfficial(context);
    const listing = (profile, { tokens }, { name, value, most }) => ({
      what: `tools/list, five tools of the profile ${profile}`,
      value: median(tokens),
      unit: "tokens",
      spread: spreadOf(tokens),
      baseline: { name, value },
      ratio: median(tokens) / value,
      budget: { most },
    });
    const source = data.isReal ? "real" : "synthetic";
    const direct = { name: `${OFFICIAL.length} official servers listed directly`, value: official };
    const all = {
      name: `${tools.length} ${source} tools listed directly`,
      value: sum(tools.map(toDefinition).map(tokensOf)),
    };
    const names = tokensOf([...servers.keys()].join(", "));
    return [
      listing("discovery", discovery, { ...direct, most: 600 }),
      listing("discovery", discovery, { ...all, most: 600 }),
      listing("gateway", gateway, { ...direct, most: 900 }),
      listing("gateway", gateway, { ...all, most: 900 }),
      {
        what: "instructions, 100 servers",
        value: median(discovery.instructions),
        unit: "tokens",
        spread: spreadOf(discovery.instructions),
        baseline: { name: "the servers' names alone", value: names },
        ratio: median(discovery.instructions) / names,
        budget: { most: 150 },
      },
    ];
  },
};

/** Starts the gateway several times; the answer must be the same each time. */
async function listOurs(context, servers, settings) {
  const home = await createWarmHome(context, servers, settings);
  const seen = { tokens: [], instructions: [] };
  for (let start = 0; start < STARTS; start += 1) {
    await withServer([DISCOVERY, "--config", home.config], home.env, async (server, opening) => {
      const { tools } = await server.request("tools/list");
      if (tools.length !== 5) throw new Error(`${tools.length} tools are listed, not five.`);
      seen.tokens.push(tokensOf(tools));
      seen.instructions.push(tokensOf(opening.instructions));
    });
  }
  return seen;
}

async function listOfficial({ folder }) {
  const { env } = createHome(folder, {});
  let tokens = 0;
  for (const [name, ...args] of OFFICIAL) {
    tokens += await withServer([officialServer(name), ...args], env, async (server) =>
      tokensOf((await server.request("tools/list")).tools),
    );
  }
  return tokens;
}
