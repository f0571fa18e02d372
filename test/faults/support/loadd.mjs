// The lightweight server of the load rows: a hundred of them fit on one machine, and each still writes a ledger.
// Start: node loadd.mjs stdio FOLDER NAME [TOOLS], or node loadd.mjs http FOLDER [TOOLS]: one process is then any number of
// servers, /mcp/NAME over MCP and /api/NAME as a REST API, and prints its port. Both end with their standard input.
import { randomUUID } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [, , transport, folder, ...words] = process.argv;
const TOOLS = Number(words.at(-1)) || 0;
// No sync: written data survives the process; only a system crash could lose it.
const ledger = openSync(join(folder, "ledger.jsonl"), "a", 0o600);

const inputSchema = {
  type: "object",
  properties: {
    id: { type: "string", description: "The marker of the call." },
    delay: { type: "integer", description: "Milliseconds before the answer; below zero there is none." },
    bytes: { type: "integer", description: "Length of the answer's text." },
    mode: { type: "string", enum: ["error", "crash_before", "crash_after", "storm", "flood"] },
    silent: { type: "boolean", description: "Writes nothing to the ledger." },
  },
  required: ["id"],
};
const NOUNS = [
  "invoice",
  "ticket",
  "branch",
  "calendar",
  "customer",
  "message",
  "report",
  "picture",
  "account",
  "device",
];
const VERBS = ["create", "read", "list", "update", "search"];
const toTool = (name, description, annotations) => ({ name, description, inputSchema, annotations });
const tools = [
  toTool("read", "Reads something.", { readOnlyHint: true }),
  toTool("effect", "Does something once per call.", { destructiveHint: false }),
  ...Array.from({ length: TOOLS }, (_, number) => {
    const [verb, noun] = [VERBS[number % VERBS.length], NOUNS[Math.floor(number / VERBS.length) % NOUNS.length]];
    return toTool(`${verb}_${noun}_${number}`, `${verb} a ${noun} of the kind ${number}.`, { readOnlyHint: true });
  }),
];

/** Writes one complete line: several processes write to the file. */
function write(server, line) {
  writeSync(ledger, `${JSON.stringify({ ...line, server, pid: process.pid })}\n`);
}

async function callTool(server, { name: tool, arguments: args = {}, _meta: meta = {} }, line) {
  const { id, mode, delay = 0, bytes = 0, silent = false } = args;
  const entry = { id, tool, attempt: meta["faults/attempt"] ?? args.attempt ?? null };
  if (!silent) write(server, { kind: "call", ...entry });
  if (mode === "crash_before") return line.crash();
  const isEffect = tool === "effect";
  if (isEffect) write(server, { kind: "effect", ...entry });
  if (mode === "crash_after") return line.crash();
  if (mode === "storm")
    for (let reported = 0; reported < 200; reported += 1) line.notify("notifications/tools/list_changed");
  if (delay < 0) return new Promise(() => undefined);
  if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
  const text = `done ${id}${isEffect ? ` as ${randomUUID()}` : ""}${"x".repeat(bytes)}`;
  const result = { content: [{ type: "text", text }], ...(mode === "error" ? { isError: true } : {}) };
  if (isEffect) write(server, { kind: "answer", ...entry, ...(bytes > 0 ? {} : { result: JSON.stringify(result) }) });
  return result;
}

async function answer(server, { id, method, params = {} }, line) {
  if (id === undefined || method === undefined) return undefined;
  try {
    return { jsonrpc: "2.0", id, result: await dispatch(server, { method, params }, line) };
  } catch (error) {
    return { jsonrpc: "2.0", id, error: { code: error.code ?? -32603, message: error.message } };
  }
}

function dispatch(server, { method, params }, line) {
  if (method === "initialize") {
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "loadd", version: "1.0.0" },
    };
  }
  if (method === "ping") return {};
  if (method === "tools/list") {
    return new Promise((resolve) => setTimeout(() => resolve({ tools }), line.listMs ?? 0));
  }
  if (method === "tools/call") return callTool(server, params, line);
  throw Object.assign(new Error("Method not found"), { code: -32601 });
}

function serveStdio(name) {
  const send = (message) => void process.stdout.write(`${JSON.stringify(message)}\n`);
  const line = {
    notify: (method) => send({ jsonrpc: "2.0", method }),
    crash() {
      process.kill(process.pid, "SIGKILL");
      return new Promise(() => undefined);
    },
  };
  createInterface({ input: process.stdin })
    .on("line", async (text) => {
      const reply = await answer(name, JSON.parse(text), line);
      if (reply !== undefined) send(reply);
    })
    .on("close", () => process.exit(0));
}

function serveHttp() {
  const server = createServer(async (request, response) => {
    const [, kind, name, listMs = 0] = request.url.split(/[/?]/);
    const reply = (status, value) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (request.method === "GET" && kind === "api")
      return reply(200, { result: await callTool(name, toCall(request), {}) });
    if (request.method !== "POST") return response.writeHead(405).end();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const crash = () => {
      request.socket.resetAndDestroy();
      return new Promise(() => undefined);
    };
    const line = { crash, notify: () => undefined, listMs: Number(listMs) };
    const reported = await answer(name, JSON.parse(Buffer.concat(chunks).toString("utf8")), line);
    return reported === undefined ? response.writeHead(202).end() : reply(200, reported);
  });
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", 4096, () => process.stdout.write(`${server.address().port}\n`));
  process.stdin.on("end", () => process.exit(0)).resume();
}

function toCall({ url }) {
  const { searchParams } = new URL(url, "http://localhost");
  return { name: "read", arguments: { id: searchParams.get("id"), delay: Number(searchParams.get("delay") ?? 0) } };
}

if (transport === "http") serveHttp();
else serveStdio(words[0]);
