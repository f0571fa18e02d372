// A well-behaved legacy server. Start: node echo.mjs
import { appendFileSync } from "node:fs";
import { send, serve, text } from "./rpc.mjs";

const string = { type: "string" };
const number = { type: "number" };
const tool = (name, description, properties = {}, extra = {}) => ({
  name,
  description,
  inputSchema: { type: "object", properties, required: Object.keys(properties) },
  ...extra,
});

const tools = [
  tool("echo", "Returns the text.", { text: string }, { annotations: { readOnlyHint: true } }),
  tool("add", "Adds two numbers.", { a: number, b: number }, { annotations: { readOnlyHint: true } }),
  tool("sleep", "Waits `ms` milliseconds and reports progress every `every` milliseconds.", { ms: number }),
  tool("env", "Returns its environment as JSON."),
  tool("pid", "Returns its process id."),
  tool("crash", "Ends the process in the middle of the call."),
  tool("big", "Returns a text of `bytes` bytes.", { bytes: number }),
  tool("log", "Writes a log message, then answers.", { message: string }),
  tool("rich", "Returns every kind of content, and unknown members."),
  tool("fail", "Answers with isError."),
  tool("reject", "Answers with a JSON-RPC error.", { code: number, message: string }),
  tool("append", "Appends a line to a file: a side effect to count.", { file: string, line: string }),
  tool("meta", "Returns the metadata of the request."),
  tool("change", "Announces that the list of tools has changed."),
  tool("cancelled", "Returns the reasons of all cancellations so far."),
];

const cancellations = [];
const cancelledIds = new Set();
const wakers = new Map();

/** Reports after every step, so that the number of reports does not depend on the machine. */
async function sleep({ ms, every = ms }, token, id) {
  for (let elapsed = 0; elapsed < ms && !cancelledIds.has(id); elapsed += every) {
    await new Promise((resolve) => {
      wakers.set(id, resolve);
      setTimeout(resolve, every);
    });
    const progress = { progressToken: token, progress: elapsed + every, total: ms };
    if (every !== ms && token !== undefined) send({ method: "notifications/progress", params: progress });
  }
  wakers.delete(id);
  return text(`slept ${ms}`);
}

const run = {
  echo: ({ text: value }) => text(value),
  add: ({ a, b }) => ({ ...text(a + b), structuredContent: { sum: a + b } }),
  sleep,
  env: () => text(JSON.stringify(process.env)),
  pid: () => text(process.pid),
  crash: () => {
    process.stderr.write("something went terribly wrong\n");
    process.exit(3);
  },
  big: ({ bytes }) => text("x".repeat(bytes)),
  log: ({ message }) => {
    send({ method: "notifications/message", params: { level: "info", logger: "echo", data: message } });
    return text("logged");
  },
  rich: () => ({
    content: [
      { type: "text", text: "words", annotations: { audience: ["user"] } },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource_link", uri: "file:///a", name: "a" },
      { type: "hologram", beams: 3 },
    ],
    structuredContent: { deep: { value: [1, null] } },
    _meta: { "example.com/trace": "t-1" },
    unheardOf: true,
  }),
  fail: () => ({ ...text("it did not work"), isError: true }),
  reject: ({ code, message }) => {
    throw Object.assign(new Error(message), { code });
  },
  append: ({ file, line }) => {
    appendFileSync(file, `${line}\n`);
    return text("appended");
  },
  change: () => {
    send({ method: "notifications/tools/list_changed" });
    return text("announced");
  },
  cancelled: () => text(JSON.stringify(cancellations)),
};

serve({
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: args = {}, _meta }, id) => {
    if (name === "meta") return text(JSON.stringify(_meta ?? {}));
    const act = run[name];
    if (act === undefined) throw Object.assign(new Error(`Tool ${name} not found`), { code: -32602 });
    return act(args, _meta?.progressToken, id);
  },
  "notifications/cancelled": ({ requestId, reason }) => {
    cancellations.push(reason);
    cancelledIds.add(requestId);
    wakers.get(requestId)?.();
  },
});
