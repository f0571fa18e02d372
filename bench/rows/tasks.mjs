import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgentTasks, toKnowledgeGraph } from "../support/agent-tasks.mjs";
import { createHome } from "../support/home.mjs";
import { DISCOVERY, officialServer } from "../support/places.mjs";
import { median, sum } from "../support/statistics.mjs";
import { withServer } from "../support/stdio-server.mjs";
import { tokensOf } from "../support/tokens.mjs";

const MAX_CALLS = 20;
/** The last line of a part of a result. */
const POSITION = /\n\[(?:page|lines|items) [^\n]*\]$/;
const NEXT_CALL = /Next: execute_tool (\{.*?\}\})(?=[;\].]|$)/;

/** Tokens until a scripted agent has read what it was asked for, with the budget for results and without it. */
export const tasks = {
  name: "tasks",
  about: "tokens of six finished tasks on the official servers, with the default budget for results and without it",
  seconds: { usual: 12, quick: 12 },
  async run(context) {
    const before = await runAll(context, { maxTokens: 0 });
    const after = await runAll(context, {});
    const lines = after.map((one, index) => ({
      what: `task: ${one.name}`,
      value: one.tokens,
      unit: "tokens",
      baseline: { name: "results.maxTokens: 0", value: before[index].tokens },
      ratio: one.tokens / before[index].tokens,
      note: `${one.calls.join(", ")}; before: ${before[index].calls.join(", ")}`,
    }));
    const all = (measured) => sum(measured.map(({ tokens }) => tokens));
    const unfinished = [...before, ...after].filter(({ missing }) => missing.length > 0);
    return [
      ...lines,
      {
        what: `${after.length} tasks in all`,
        value: all(after),
        unit: "tokens",
        baseline: { name: "results.maxTokens: 0", value: all(before) },
        ratio: all(after) / all(before),
        note: `median of the ratios ${median(lines.map(({ ratio }) => ratio)).toFixed(2)}×`,
      },
      {
        what: "tasks finished, with the budget and without it",
        value: before.length + after.length - unfinished.length,
        unit: `of ${before.length + after.length}`,
        budget: { least: before.length + after.length },
        ...(unfinished.length === 0 ? {} : { note: unfinished.map(toUnfinished).join("; ") }),
      },
    ];
  },
};

function toUnfinished({ name, missing }) {
  return `${name}: the agent did not read ${missing.slice(0, 3).join(", ")}`;
}

async function runAll({ folder }, results) {
  const files = realpathSync(mkdtempSync(join(folder, "tasks-")));
  const memory = join(files, "memory.jsonl");
  writeFileSync(memory, toKnowledgeGraph());
  const agentTasks = createAgentTasks(files);
  const server = (name, ...args) => ({ command: process.execPath, args: [officialServer(name), ...args] });
  const home = createHome(folder, {
    results,
    servers: {
      filesystem: server("filesystem", files),
      memory: { ...server("memory"), env: { MEMORY_FILE_PATH: memory } },
    },
  });
  return await withServer([DISCOVERY, "--config", home.config], home.env, async (gateway) => {
    for (const name of ["filesystem", "memory"]) await gateway.callText("list_tools", { server: name });
    const finished = [];
    for (const task of agentTasks) finished.push(await runTask(task, gateway));
    return finished;
  });
}

/**
 * Makes the calls of an agent: it searches the tool, and reads what each step of the task needs. Of a shortened result,
 * it reads the part that the question names, or follows the exact next call; a truncated one it requests again.
 */
async function runTask({ name, question, search, steps }, gateway) {
  const agent = createAgent(gateway, question);
  await agent.call("search_tools", { query: search });
  for (const step of steps) await runStep(step, agent);
  const missing = steps.flatMap(({ answers }) => answers).filter((answer) => !agent.hasRead(answer));
  return { name, tokens: agent.tokens(), calls: agent.calls, missing };
}

async function runStep({ call, answers, readings = [], retries = [] }, agent) {
  const isOpen = () => agent.calls.length < MAX_CALLS && answers.some((answer) => !agent.hasRead(answer));
  let text = await agent.execute(call);
  const result = nextCallIn(text)?.arguments.result;
  const further =
    result === undefined
      ? retries.map((retry) => ({ ...call, arguments: { ...call.arguments, ...retry } }))
      : readings.map((reading) => ({ server: "anygpt", tool: "read_result", arguments: { result, ...reading } }));
  for (const one of further) if (isOpen()) text = await agent.execute(one);
  for (let next = nextCallIn(text); isOpen() && next !== undefined; next = nextCallIn(text))
    text = await agent.execute(next);
}

function createAgent(gateway, question) {
  const calls = [];
  let read = question;
  let tokens = tokensOf(question);
  const call = async (name, args) => {
    const { content } = await gateway.request("tools/call", { name, arguments: args });
    const text = content.map((item) => item.text ?? "").join("\n");
    if (process.env.BENCH_SHOW === "1") console.error(name, JSON.stringify(args), "\n", text.slice(0, 3000));
    const used = tokensOf(name) + tokensOf(args) + tokensOf(text);
    tokens += used;
    calls.push(`${args.tool ?? name} ${used.toLocaleString("en-US")}`);
    read += text.replace(POSITION, "\n");
    return text;
  };
  return {
    calls,
    call,
    tokens: () => tokens,
    // A page can end in the middle of a line.
    hasRead: (value) => withoutSpace(read).includes(withoutSpace(value)),
    execute(request) {
      if (request.server === "anygpt") assertKnown(request.arguments, read);
      return call("execute_tool", request);
    },
  };
}

/** An agent can only use words that it has read in the question or in an answer. */
function assertKnown(args, read) {
  const known = read.toLowerCase();
  for (const name of ["grep", "select"]) {
    const unknown = (args[name] ?? "").match(/\w{3,}/g)?.find((word) => !known.includes(word.toLowerCase()));
    if (unknown !== undefined) throw new Error(`The agent uses the word "${unknown}", which it has not read.`);
  }
}

function withoutSpace(text) {
  return text.replace(/\s+/g, "");
}

function nextCallIn(text) {
  const found = NEXT_CALL.exec(text.slice(-2000));
  return found === null ? undefined : JSON.parse(found[1]);
}
