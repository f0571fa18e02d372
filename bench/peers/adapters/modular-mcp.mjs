import { join } from "node:path";
import { connectStdio, textOf } from "../support/connect.mjs";
import { writeConfig } from "../support/write-config.mjs";

/** Servers are groups: an agent reads the names of all groups and requests the tools of one. */
export const modularMcp = {
  name: "modular-mcp",
  version: "0.0.5",
  packages: ["@kimuson/modular-mcp@0.0.5"],
  needsNode: 22,
  notes: { search: "modular-mcp has no search: the agent picks a server by its description and gets all of its tools" },
  async open({ servers, home, env, node, place }) {
    const config = join(home, "modular-mcp.json");
    const described = Object.entries(servers).map(([name, server]) => [
      name,
      { ...server, description: `Use when you need the tools of ${name}.` },
    ]);
    writeConfig(config, { mcpServers: Object.fromEntries(described) });
    const program = join(place, "@kimuson/modular-mcp/dist/index.js");
    const connection = await connectStdio({ command: node, args: [program, config], env });
    return {
      pid: connection.pid,
      listTools: connection.list,
      look: async ({ server }) => textOf(await connection.call("get-modular-tools", { group: server })),
      call: (server, tool, args) => connection.call("call-modular-tool", { group: server, name: tool, args }),
      close: connection.close,
    };
  },
};
