import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { connectStdio } from "../support/connect.mjs";
import { writeConfig } from "../support/write-config.mjs";

/** A stdio bridge with every tool of every server. A daemon that keeps running afterwards holds the servers. */
export const mcporter = {
  name: "mcporter",
  version: "0.12.3",
  packages: ["mcporter@0.12.3"],
  needsNode: 24,
  notes: {
    search: "mcporter has no tool search: its bridge lists every tool of every server",
    start:
      "mcporter's daemon keeps running between starts by design, so in the warm start it still runs and its servers are connected",
    calls:
      "mcporter is measured as the bridge `mcporter serve`; its library calls servers directly from the caller's process",
    kills: "mcporter's daemon is stopped with `mcporter daemon stop` before processes are counted",
  },
  async open({ servers, home, env, node, place }) {
    const kept = Object.entries(servers).map(([name, server]) => [name, { ...server, lifecycle: "keep-alive" }]);
    writeConfig(configIn(home), { mcpServers: Object.fromEntries(kept), imports: [] });
    const args = [programIn(place), "serve", "--stdio", "--config", configIn(home)];
    const connection = await connectStdio({ command: node, args, env, cwd: home });
    return {
      pid: connection.pid,
      listTools: connection.list,
      look: async () => JSON.stringify(await connection.list()),
      call: (server, tool, args) => connection.call(`${server}__${tool}`, args),
      close: connection.close,
    };
  },
  /** Processes that it keeps running on purpose. */
  stop({ home, env, node, place }) {
    const args = [programIn(place), "daemon", "stop", "--config", configIn(home)];
    spawnSync(node, args, { env, cwd: home, timeout: 20_000, stdio: "ignore" });
  },
};

const configIn = (home) => join(home, "mcporter.json");
const programIn = (place) => join(place, "mcporter/dist/cli.js");
