import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectStdio, textOf } from "../support/connect.mjs";
import { writeConfig } from "../support/write-config.mjs";

const HOST = fileURLToPath(new URL("../hosts/ratel.mjs", import.meta.url));

/** BM25 over all tools behind `search_tools` and `invoke_tool`. */
export const ratel = {
  name: "ratel",
  version: "0.1.5",
  packages: ["@ratel-ai/mcp-server@0.1.5"],
  canSearch: true,
  notes: {
    search:
      "ratel groups hits by server; they are sorted by its scores, and ten are requested (the tokens are measured with its default of five)",
    fidelity: "ratel wraps a result as JSON text, by its documentation",
  },
  async open({ servers, home, env, node, place }) {
    const config = join(home, "ratel.json");
    writeConfig(config, { mcpServers: servers });
    const connection = await connectStdio({ command: node, args: [HOST, place, config], env });
    const ask = async (args) => textOf(await connection.call("search_tools", args));
    return {
      pid: connection.pid,
      listTools: connection.list,
      search: async (query) => readHits(await ask({ query, topK: 10 })),
      look: ({ query }) => ask({ query }),
      call: (server, tool, args) => connection.call("invoke_tool", { toolId: `${server}__${tool}`, args }),
      close: connection.close,
    };
  },
};

function readHits(text) {
  return JSON.parse(text)
    .groups.flatMap(({ server, hits }) => hits.map(({ toolId, score }) => ({ server: server.name, toolId, score })))
    .sort((a, b) => b.score - a.score)
    .map(({ server, toolId }) => [server, toolId.slice(server.length + 2)]);
}
