import { join } from "node:path";
import { connectStdio, textOf } from "../support/connect.mjs";
import { writeConfig } from "../support/write-config.mjs";

/** Tools found by a regular expression over names and descriptions. */
export const mcpHubMcp = {
  name: "mcp-hub-mcp",
  version: "1.3.1",
  packages: ["mcp-hub-mcp@1.3.1"],
  notes: {
    search:
      "mcp-hub-mcp filters by a regular expression that the agent writes and does not rank: it cannot answer a query in words",
    fidelity: "mcp-hub-mcp gives a result as indented JSON text",
  },
  async open({ servers, home, env, node, place }) {
    const config = join(home, "mcp.json");
    writeConfig(config, { mcpServers: servers });
    const program = join(place, "mcp-hub-mcp/dist/index.js");
    const connection = await connectStdio({ command: node, args: [program, "--config-path", config], env });
    return {
      pid: connection.pid,
      listTools: connection.list,
      look: async ({ tool }) => textOf(await connection.call("find-tools", { pattern: tool })),
      call: (server, tool, args) =>
        connection.call("call-tool", { serverName: server, toolName: tool, toolArgs: args }),
      close: connection.close,
    };
  },
};
