import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DISCOVERY, ROOT } from "../../support/places.mjs";
import { connectStdio, textOf } from "../support/connect.mjs";
import { writeConfig } from "../support/write-config.mjs";

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

export const ours = create("ours", {});

/** Without the audit log, like the peers. */
export const oursUnaudited = create("ours, audit off", { audit: { enabled: false } });

/** The same on the newer Node, for comparison with a peer that requires it. */
export const oursUnauditedOnNewerNode = { ...oursUnaudited, name: "ours, audit off, newer Node" };

const whole = create("ours, whole results", {
  results: { maxTokens: 0 },
  execution: { resultLimit: 10_485_760 },
});

/** Without a limit on results, like the peers. */
export const oursWhole = { ...whole, notes: {} };

function create(name, extra) {
  return {
    name,
    version,
    packages: [],
    canSearch: true,
    notes: {
      fidelity:
        "by default, a view of 6,000 tokens replaces a larger result, and the agent reads the rest of the stored result on request",
    },
    async open({ servers, home, env, node }) {
      const config = join(home, "config.json");
      writeConfig(config, { servers, ...extra });
      const connection = await connectStdio({
        command: node,
        args: [DISCOVERY, "--config", config],
        env: { ...env, ANYGPT_HOME: join(home, "state") },
      });
      const look = async ({ query }) => textOf(await connection.call("search_tools", { query }));
      return {
        pid: connection.pid,
        listTools: connection.list,
        look,
        search: async (query) =>
          JSON.parse(await look({ query })).results?.map(({ server, tool }) => [server, tool]) ?? [],
        call: (server, tool, args) => connection.call("execute_tool", { server, tool, arguments: args }),
        close: connection.close,
      };
    },
  };
}
