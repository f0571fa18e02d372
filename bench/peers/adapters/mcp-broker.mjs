import { join } from "node:path";
import { connectStdio, textOf } from "../support/connect.mjs";
import { writeConfig } from "../support/write-config.mjs";

/** SQLite full-text search with Porter stemming behind `search_tools` and `call_tools`. */
export const mcpBroker = {
  name: "mcp-broker",
  version: "0.3.0",
  packages: ["mcp-broker@0.3.0"],
  canSearch: true,
  notes: {},
  async open({ servers, home, env, node, place }) {
    const folder = join(home, ".mcp-broker");
    writeConfig(join(folder, "servers.json"), { mcpServers: servers });
    const program = join(place, "mcp-broker/dist/index.js");
    const connection = await connectStdio({ command: node, args: [program, "serve"], env });
    const ask = async (query) => textOf(await connection.call("search_tools", { query }));
    return {
      pid: connection.pid,
      listTools: connection.list,
      search: async (query) =>
        [...(await ask(query)).matchAll(/^\d+\. (\S+) \/ (\S+) — /gm)].map(([, server, tool]) => [server, tool]),
      look: ({ query }) => ask(query),
      call: (server, tool, args) =>
        connection.call("call_tools", { invocations: [{ server_name: server, tool_name: tool, arguments: args }] }),
      close: connection.close,
    };
  },
};
