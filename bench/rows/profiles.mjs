import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHome } from "../support/home.mjs";
import { DISCOVERY, officialServer } from "../support/places.mjs";
import { profileTasks } from "../support/profile-tasks.mjs";
import { sum } from "../support/statistics.mjs";
import { withServer } from "../support/stdio-server.mjs";
import { tokensOf } from "../support/tokens.mjs";

const MAX_RATIO = 1.1;
const MAX_WRAPPER = 40;

/** Tokens of whole tasks through both profiles: what the model writes in its calls and reads in the answers. */
export const profiles = {
  name: "profiles",
  about: "tokens of the same tasks through the profiles gateway and discovery, on the official servers",
  seconds: { usual: 15, quick: 15 },
  async run(context) {
    const discovery = await measureTasks(context, "discovery");
    const gateway = await measureTasks(context, "gateway");
    const lines = profileTasks.map(({ name }, index) => {
      const [ours, other] = [gateway.tasks[index], discovery.tasks[index]];
      return {
        what: `profile gateway: ${name}`,
        value: ours.tokens,
        unit: "tokens",
        baseline: { name: "profile discovery", value: other.tokens },
        ratio: ours.tokens / other.tokens,
        note: `${ours.calls} and ${other.calls} calls`,
      };
    });
    const all = (measured) => sum(measured.tasks.map(({ tokens }) => tokens));
    return [
      ...lines,
      {
        what: `profile gateway: ${profileTasks.length} tasks in all`,
        value: all(gateway),
        unit: "tokens",
        baseline: { name: "profile discovery", value: all(discovery) },
        ratio: all(gateway) / all(discovery),
        budget: { most: MAX_RATIO, of: "ratio" },
        note: `without tools/list: ${gateway.list} and ${discovery.list} tokens`,
      },
      {
        what: "wrapper of a gateway.execute answer",
        value: Math.max(...gateway.wrappers),
        unit: "tokens",
        budget: { most: MAX_WRAPPER },
        note: `the largest of ${gateway.wrappers.length} successful calls`,
      },
    ];
  },
};

async function measureTasks({ folder }, profile) {
  const files = mkdtempSync(join(folder, "files-"));
  writeFileSync(join(files, "notes.txt"), "Buy milk.\nCall Ada.\n");
  writeFileSync(join(files, "long.txt"), "A line of a longer file.\n".repeat(40));
  mkdirSync(join(files, "reports"));
  const server = (name, ...args) => ({ command: process.execPath, args: [officialServer(name), ...args] });
  const home = createHome(folder, {
    profile,
    servers: {
      filesystem: server("filesystem", files),
      memory: { ...server("memory"), env: { MEMORY_FILE_PATH: join(files, "memory.jsonl") } },
      everything: server("everything"),
      thinking: server("sequential-thinking"),
    },
    toolRules: [{ pattern: "edit_file", enabled: false }],
  });
  return await withServer([DISCOVERY, "--config", home.config], home.env, async (gateway) => {
    const list = tokensOf((await gateway.request("tools/list")).tools);
    await waitForCatalog(gateway, profile);
    const tasks = [];
    const wrappers = [];
    for (const task of profileTasks) tasks.push(await runTask(task, { gateway, profile, files, wrappers }));
    return { list, tasks, wrappers };
  });
}

/** Waits until the tools of all servers are known, so that every run sees the same catalog. */
async function waitForCatalog(gateway, profile) {
  const name = profile === "gateway" ? "gateway.adapters" : "list_mcp_servers";
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answer = JSON.parse(await gateway.callText(name, {}));
    const all = answer.adapters ?? answer.servers;
    const isKnown = ({ status, pending, known }) =>
      status !== "pending" && status !== "unknown" && !pending && known !== false;
    if (all.every(isKnown)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("The tools of the servers are not known after 20 s.");
}

async function runTask(task, { gateway, profile, files, wrappers }) {
  let tokens = 0;
  let calls = 0;
  const call = async (name, args) => {
    const { content, isError = false } = await gateway.request("tools/call", { name, arguments: args });
    const texts = content.map(({ text }) => text ?? "");
    calls += 1;
    if (process.env.BENCH_SHOW === "1")
      console.error(
        name,
        JSON.stringify(args),
        tokensOf(name) + tokensOf(args),
        sum(texts.map(tokensOf)),
        "\n  ",
        texts.join("\n  "),
      );
    tokens += tokensOf(name) + tokensOf(args) + sum(texts.map(tokensOf));
    if (name === "gateway.execute" && !isError) wrappers.push(wrapperOf(texts));
    return { data: parse(texts[0]), isError };
  };
  const agent = profile === "gateway" ? gatewayAgent(call) : discoveryAgent(call);
  await task.run(agent, files);
  return { tokens, calls };
}

/** The tokens of the answer that are not the result of the tool. */
function wrapperOf([text]) {
  return tokensOf({ ...JSON.parse(text), data: 0 });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The calls of an agent that knows which tool it wants. It reads details only if the search result does not have the
 * parameters of the tool.
 */
function discoveryAgent(call) {
  const execute = (id, args, options) => {
    const [server, tool] = split(id);
    return call("execute_tool", { server, tool, arguments: args, ...(options === undefined ? {} : { options }) });
  };
  return {
    execute,
    async find(query, id) {
      const { data } = await call("search_tools", { query });
      const [server, tool] = split(id);
      const hit = data.results.find((one) => one.server === server && one.tool === tool);
      if (hit?.signature === undefined) await call("get_tool_details", { server, tool });
    },
    search: (query) => call("search_tools", { query }),
    details(id) {
      const [server, tool] = split(id);
      return call("get_tool_details", { server, tool });
    },
    servers: () => call("list_mcp_servers", {}),
    tools: (server) => call("list_tools", { server }),
  };
}

/** The same for the profile `gateway`. The agent passes an idempotency key where the answer says that one is needed. */
function gatewayAgent(call) {
  const keyed = new Set();
  const intend = async (query) => {
    const { data } = await call("gateway.intent", { query });
    if (data.ready_to_execute?.constraints?.requires_idempotency) keyed.add(data.recommended.tool_id);
    return data;
  };
  return {
    execute(id, params, given) {
      const options = { ...given, ...(keyed.has(id) ? { idempotency_key: "task-1" } : {}) };
      const isPlain = Object.keys(options).length === 0;
      return call("gateway.execute", { tool_id: id, params, ...(isPlain ? {} : { options }) });
    },
    async find(query, id) {
      const { recommended, options = [], alternatives = [] } = await intend(query);
      if (recommended?.tool_id === id) return;
      const listed = [...options, ...alternatives].find((one) => one.tool_id === id);
      if (listed?.signature === undefined) await intend(id);
    },
    search: intend,
    details: intend,
    servers: () => call("gateway.adapters", {}),
    tools: (adapter) => call("gateway.tools", { adapter }),
  };
}

function split(id) {
  const colon = id.indexOf(":");
  return [id.slice(0, colon), id.slice(colon + 1)];
}
