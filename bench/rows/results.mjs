import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { measurePings, measureTurns } from "../support/event-loop.mjs";
import { createHome } from "../support/home.mjs";
import { writeLargeFiles } from "../support/large-files.mjs";
import { DISCOVERY, officialServer } from "../support/places.mjs";
import { median, quantile, spreadOf } from "../support/statistics.mjs";
import { withServer } from "../support/stdio-server.mjs";
import { tokensOf, tokensOfLarge } from "../support/tokens.mjs";

const MAX_TOKENS = 6000;
/** The budget is an estimate: o200k counts up to a tenth more. */
const MAX_O200K_TOKENS = 6600;
const MAX_MS = 20;
/** The server sends a text twice, also as structured content: 5 MB become more than the default limit of 10 MiB. */
const UPSTREAMS = { maxMessageBytes: 67_108_864 };
const MEBIBYTE = 1024 ** 2;

/** Large results of the official filesystem server through the gateway: the view, its time, and one reading of each kind. */
export const results = {
  name: "results",
  about: "large results of a real server: tokens and time of the view, and readings of the rest compared with the file",
  seconds: { usual: 25, quick: 20 },
  async run(context) {
    const folder = join(context.folder, "large-files");
    mkdirSync(folder);
    const files = writeLargeFiles(realpathSync(folder));
    const direct = await withServer([officialServer("filesystem"), folder], process.env, (server) =>
      inTurn(files, ({ path }) => server.request("tools/call", { name: "read_text_file", arguments: { path } })),
    );
    const views = await inTurn(direct, (result) => measureView(result, context));
    const whole = await throughGateway(context, { maxTokens: 0 }, folder, (gateway) =>
      inTurn(files, (file) => callWithPings(gateway, file)),
    );
    const ours = await throughGateway(context, {}, folder, (gateway) =>
      inTurn(files, async (file) => {
        const called = await callWithPings(gateway, file);
        return { ...called, readings: await readAll(gateway, file, called.answer) };
      }),
    );
    const lines = files.flatMap((file, index) =>
      toLines(file, { view: views[index], whole: whole[index], ours: ours[index] }),
    );
    return [...lines, rightAnswers(ours.flatMap(({ readings }) => readings))];
  },
};

async function inTurn(items, act) {
  const answers = [];
  for (const item of items) answers.push(await act(item));
  return answers;
}

function throughGateway({ folder }, resultOptions, root, use) {
  const filesystem = { command: process.execPath, args: [officialServer("filesystem"), root] };
  const { config, env } = createHome(folder, {
    servers: { filesystem },
    upstreams: UPSTREAMS,
    results: resultOptions,
  });
  return withServer([DISCOVERY, "--config", config], env, async (gateway) => {
    // Starts the server before the first measured call.
    await gateway.callText("execute_tool", { server: "filesystem", tool: "list_allowed_directories" });
    return await use(gateway);
  });
}

/** The view alone, in this process: its time, and the turns of the event loop meanwhile. */
async function measureView(result, { internals, rounds }) {
  const { runSlices, viewResult } = internals;
  const describeNext = () => "[more]";
  const times = [];
  const turns = [];
  for (let round = 0; round < rounds(5, 2); round += 1) {
    const measured = await measureTurns(() => runSlices(viewResult(result, { maxTokens: MAX_TOKENS, describeNext })));
    times.push(measured.ms);
    turns.push(...measured.turns);
  }
  return { times, turns };
}

function callWithPings(gateway, { path }) {
  return measurePings(gateway, () => execute(gateway, "filesystem", "read_text_file", { path }));
}

function execute(gateway, server, tool, args) {
  return gateway.request("tools/call", { name: "execute_tool", arguments: { server, tool, arguments: args } });
}

async function readAll(gateway, { name, readings }, view) {
  const result = view["_meta"]?.["anygpt/result"]?.id;
  return await inTurn(readings, async ({ request, isRight }) => {
    const started = performance.now();
    const answer = textOf(await execute(gateway, "anygpt", "read_result", { result, ...request }));
    const ms = performance.now() - started;
    const args = { server: "anygpt", tool: "read_result", arguments: { result, ...request } };
    if (process.env.BENCH_SHOW === "1") console.error(name, JSON.stringify(request), "\n", answer.slice(0, 1500));
    return { name, request, ms, tokens: tokensOf(args) + tokensOf(answer), isRight: isRight(answer) };
  });
}

function textOf({ content }) {
  return content.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
}

function toLines({ name, text }, { view, whole, ours }) {
  const mebibytes = Buffer.byteLength(text) / MEBIBYTE;
  const raw = tokensOfLarge(text);
  const shown = textOf(ours.answer);
  if (process.env.BENCH_SHOW === "1") console.error(`${name}\n${shown}`);
  const tokens = tokensOf(shown);
  return [
    {
      what: `${name}, ${mebibytes.toFixed(1)} MiB: view`,
      value: tokens,
      unit: "tokens",
      baseline: { name: "the whole text", value: raw },
      ratio: tokens / raw,
      budget: { most: MAX_O200K_TOKENS },
    },
    {
      what: `${name}: time of the view`,
      value: median(view.times) / mebibytes,
      unit: "ms/MiB",
      spread: spreadOf(view.times.map((ms) => ms / mebibytes)),
      budget: { most: MAX_MS },
    },
    {
      what: `${name}: turn of the event loop while the view is made, p99`,
      value: quantile(view.turns, 0.99),
      unit: "ms",
      budget: { most: MAX_MS },
      note: `longest of ${view.turns.length} turns ${Math.max(...view.turns).toFixed(1)} ms`,
    },
    {
      what: `${name}: whole call through the gateway`,
      value: ours.ms,
      unit: "ms",
      baseline: { name: "results.maxTokens: 0", value: whole.ms },
      ratio: ours.ms / whole.ms,
      note: `slowest ping meanwhile ${toMs(ours.pings)}, and ${toMs(whole.pings)} with results.maxTokens: 0`,
    },
    ...ours.readings.map((reading) => ({
      what: `${name}: ${describe(reading.request)}`,
      value: reading.tokens,
      unit: "tokens",
      budget: { most: MAX_O200K_TOKENS },
      note: `${reading.isRight ? "right" : "wrong"} answer after ${reading.ms.toFixed(0)} ms`,
    })),
  ];
}

function toMs(pings) {
  return `${Math.max(...pings).toFixed(0)} ms`;
}

function describe({ context: _context, ...request }) {
  const [[kind, value]] = Object.entries(request);
  return `${kind} ${value}`;
}

function rightAnswers(readings) {
  const right = readings.filter(({ isRight }) => isRight).length;
  const wrong = readings.flatMap(({ name, request, isRight }) => (isRight ? [] : [`${name} ${describe(request)}`]));
  return {
    what: "readings with the right answer",
    value: right,
    unit: `of ${readings.length}`,
    budget: { least: readings.length },
    ...(wrong.length === 0 ? {} : { note: `wrong: ${wrong.join("; ")}` }),
  };
}
