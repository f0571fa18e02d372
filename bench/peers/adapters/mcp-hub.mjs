import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { connectSse, keepTail } from "../support/connect.mjs";
import { kill } from "../support/census.mjs";
import { writeConfig } from "../support/write-config.mjs";

/** One HTTP endpoint with every tool of every server, under `server__tool`. */
export const mcpHub = {
  name: "mcp-hub",
  version: "4.2.1",
  packages: ["mcp-hub@4.2.1"],
  notes: {
    search: "mcp-hub has no tool search: agents get every tool of every server in tools/list",
    calls: "mcp-hub is reached over HTTP with SSE, the only way it offers to MCP clients; the others over stdio",
  },
  async open({ servers, home, env, node, place }) {
    const config = join(home, "servers.json");
    writeConfig(config, { mcpServers: servers });
    const port = await freePort();
    const program = join(place, "mcp-hub/dist/cli.js");
    const child = spawn(node, [program, "--port", String(port), "--config", config], {
      env,
      cwd: home,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let hasEnded = false;
    const ended = new Promise((resolve) => {
      child.once("close", () => {
        hasEnded = true;
        resolve();
      });
    });
    keepTail(child.stdout);
    keepTail(child.stderr);
    const url = `http://127.0.0.1:${port}/mcp`;
    const connection = await connectSse(url, { pid: child.pid, hasEnded: () => hasEnded });
    return {
      pid: child.pid,
      listTools: connection.list,
      look: async () => JSON.stringify(await connection.list()),
      call: (server, tool, args) => connection.call(`${server}__${tool}`, args),
      async close() {
        await connection.close();
        kill(child.pid, "SIGTERM");
        await ended;
      },
    };
  },
};

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
