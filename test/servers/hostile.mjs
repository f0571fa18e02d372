// A server that sends what no correct server sends. Start: node hostile.mjs
import { writeSync } from "node:fs";
import { send, serve, text } from "./rpc.mjs";

const MIB = 1024 * 1024;
const tool = (name) => ({ name, description: `The tool ${name}.`, inputSchema: { type: "object" } });

const write = (line) => process.stdout.write(line);
const answerLine = (id, result) => `{"jsonrpc":"2.0","id":${id},"result":${result}}\n`;

/** One message of a flood, by kind. */
const FLOODS = {
  log: (count) => ({ method: "notifications/message", params: { level: "info", data: `line ${count}` } }),
  reordered: (count) => ({ params: { level: "info", data: `line ${count}` }, method: "notifications/message" }),
  progress: (count, token) => ({ method: "notifications/progress", params: { progressToken: token, progress: count } }),
  changes: () => ({ method: "notifications/tools/list_changed" }),
  updates: (count) => ({ method: "notifications/resources/updated", params: { uri: `file:///${count}` } }),
  requests: (count) => ({ id: `r-${count}`, method: "ping" }),
  answers: (count) => ({ id: count, result: { content: [] } }),
};

let isFlooding = false;

/** Writes messages as fast as the gateway reads them: a full pipe delays the next ones. */
function flood(kind, token) {
  isFlooding = true;
  let count = 0;
  const next = () => {
    if (!isFlooding) return;
    let lines = "";
    for (let index = 0; index < 500; index++) {
      count += 1;
      lines +=
        kind === "rubbish"
          ? `debug ${count}\n`
          : `${JSON.stringify({ jsonrpc: "2.0", ...FLOODS[kind](count, token) })}\n`;
    }
    process.stdout.write(lines, () => setImmediate(next));
  };
  next();
}

/** Pages of `mib` MiB each, with one tool that has the whole page as its description and one small tool. */
function bigPages(mib, pages) {
  const description = "x".repeat(mib * MIB);
  return ({ cursor = "0" }) => {
    process.stderr.write(`page ${cursor}\n`);
    const page = Number(cursor);
    return {
      tools: [{ ...tool(`big${page}`), description }, tool(`small${page}`)],
      ...(page + 1 < pages ? { nextCursor: String(page + 1) } : {}),
    };
  };
}

const calls = {
  ping: () => text("pong"),
  deep: ({ levels, isClosed = true }, id) =>
    void write(answerLine(id, `{"content":[],"x":${"[".repeat(levels)}${isClosed ? "]".repeat(levels) : ""}}`)),
  many: ({ count, item = "{}" }, id) =>
    void write(answerLine(id, `{"content":[],"x":[${`${item},`.repeat(count - 1)}${item}]}`)),
  keys: ({ count }, id) =>
    void write(
      answerLine(id, `{"content":[],"x":{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(",")}}}`),
    ),
  plain: ({ bytes }, id) =>
    void write(answerLine(id, JSON.stringify({ content: [{ type: "text", text: "x".repeat(bytes) }] }))),
  // "caf" and the byte 0xe9, which is "é" in Latin-1 and nothing in UTF-8.
  latin: (_, id) => {
    const [before, after] = answerLine(id, '{"content":[{"type":"text","text":"caf@"}]}').split("@");
    process.stdout.write(Buffer.concat([Buffer.from(before), Buffer.from([0xe9]), Buffer.from(after)]));
  },
  before: (_, id) => void write(`\ufeff${answerLine(id, JSON.stringify(text("after a byte order mark")))}`),
  noise: ({ lines = 0, answers = 0 }) => {
    for (let count = 0; count < lines; count++) write(`DEBUG line ${count}\n`);
    for (let count = 0; count < answers; count++) send({ id: 2_000_000 + count, result: {} });
    return text("noisy");
  },
  content: ({ content }) => ({ content }),
  // Sends the values, then answers.
  progress: ({ values }, _id, token) => {
    for (const progress of values)
      send({ method: "notifications/progress", params: { progressToken: token, progress } });
    return text("done");
  },
  many_progress: async ({ count }, _id, token) => {
    for (let progress = 1; progress <= count; progress++) {
      send({ method: "notifications/progress", params: { progressToken: token, progress, total: count } });
      if (progress % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return text("done");
  },
  flood: ({ kind }, _id, token) => {
    flood(kind, token);
    // A flood of progress belongs to a call that is still running.
    return kind === "progress" ? undefined : text("flooding");
  },
  stop: () => {
    isFlooding = false;
    return text("stopped");
  },
};

const [mode, mib = "9", pages = "100"] = process.argv.slice(2);
if (mode === "noisy-start") writeSync(1, "Listening on stdio\nDEBUG ready\n");
const lists = {
  "big-pages": () => bigPages(Number(mib), Number(pages)),
  "big-name": () => () => ({ tools: [tool("n".repeat(100_000)), tool("fine")] }),
  "many-broken": () => () => ({ tools: [...Array.from({ length: 50_000 }, () => 42), tool("fine")] }),
};

serve({
  "tools/list": (lists[mode] ?? (() => () => ({ tools: Object.keys(calls).map(tool) })))(),
  "tools/call": ({ name, arguments: args = {}, _meta }, id) => calls[name](args, id, _meta?.progressToken),
});
