import { createHome, createWarmHome } from "../support/home.mjs";
import { DISCOVERY, officialServer } from "../support/places.mjs";
import { spreadOver, toDefinition } from "../support/data.mjs";
import { sum } from "../support/statistics.mjs";
import { withServer } from "../support/stdio-server.mjs";
import { tokensOf } from "../support/tokens.mjs";

const OFFICIAL = [["everything"], ["filesystem", "."], ["memory"], ["sequential-thinking"]];

/** What every conversation pays before the first question: our tools and instructions against those behind us. */
export const listTokens = {
  name: "list-tokens",
  about: "tokens of tools/list and of the instructions",
  async run(context) {
    const { data } = context;
    const tools = data.realTools();
    const servers = spreadOver(tools.slice(0, 1000), 100);
    const home = await createWarmHome(context, servers);
    const { ours, instructions } = await withServer(
      [DISCOVERY, "--config", home.config],
      home.env,
      async (server, opening) => ({
        ours: tokensOf((await server.request("tools/list")).tools),
        instructions: tokensOf(opening.instructions),
      }),
    );
    const official = await listOfficial(context);
    const listing = (name, value) => ({
      what: "tools/list, five meta-tools",
      value: ours,
      unit: "tokens",
      baseline: { name, value },
      ratio: ours / value,
      budget: { most: 600 },
    });
    const source = data.isReal ? "real" : "synthetic";
    return [
      listing(`${OFFICIAL.length} official servers listed directly`, official),
      listing(`${tools.length} ${source} tools listed directly`, sum(tools.map(toDefinition).map(tokensOf))),
      {
        what: "instructions, 100 servers",
        value: instructions,
        unit: "tokens",
        baseline: { name: "the servers' names alone", value: tokensOf([...servers.keys()].join(", ")) },
        ratio: instructions / tokensOf([...servers.keys()].join(", ")),
        budget: { most: 150 },
      },
    ];
  },
};

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
