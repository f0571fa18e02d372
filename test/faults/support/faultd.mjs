// The server of the fault suite: it writes its actions to a ledger on disk, before it answers and outside the gateway.
// Start: node faultd.mjs stdio|http FOLDER NAME. Over HTTP it prints its port; both exit when standard input ends.
import { createHash, randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [, , transport, folder, name] = process.argv;
const GATE_LOOK_MS = 5;

mkdirSync(join(folder, "once"), { recursive: true });
mkdirSync(join(folder, "effects"), { recursive: true });
const ledger = openSync(join(folder, "ledger.jsonl"), "a", 0o600);

const inputSchema = {
  type: "object",
  properties: {
    id: { type: "string", description: "The marker of the effect." },
    mode: {
      type: "string",
      enum: ["hang", "crash_before", "crash_after", "busy", "tool_error", "rpc_error"],
      description: "What goes wrong; all but the errors happens to the first call of an id only.",
    },
    gate: { type: "string", description: "Answer when this file exists." },
    bytes: { type: "integer", description: "Length of the answer's text." },
    to: { type: "string" },
    all: { type: "boolean" },
  },
  required: ["id"],
};
/** A file of that name changes the tool definitions. */
const addition = join(folder, "description.txt");
const tool = (name, description, annotations) => ({
  name,
  description: existsSync(addition) ? `${description} ${readFileSync(addition, "utf8")}` : description,
  inputSchema,
  ...(annotations === undefined ? {} : { annotations }),
});
const TOOLS = [
  tool("effect", "Does something once per call."),
  tool("idempotent_effect", "Does something once per id.", { idempotentHint: true }),
  tool("read", "Reads something.", { readOnlyHint: true }),
  tool("destroy", "Destroys something for good.", { destructiveHint: true }),
  tool("erase", "Erases something for good.", { destructiveHint: true }),
];

/** Writes one complete line and syncs it to disk. */
function write(line) {
  writeSync(ledger, `${JSON.stringify({ ...line, server: name, pid: process.pid, ts: Date.now() })}\n`);
  fsyncSync(ledger);
}

/** True for the first caller in any process. */
function isFirst(kind, id) {
  try {
    closeSync(openSync(join(folder, kind, createHash("sha256").update(id).digest("hex")), "wx"));
    return true;
  } catch {
    return false;
  }
}

async function opened(gate) {
  while (!existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, GATE_LOOK_MS));
}

async function callTool({ name: called, arguments: args = {}, _meta: meta = {} }, crash) {
  const { id, mode, gate, bytes = 0 } = args;
  const entry = { id, tool: called, attempt: meta["faults/attempt"] ?? null };
  write({ kind: "call", ...entry, args });
  const fault = mode === undefined || (!mode.endsWith("_error") && !isFirst("once", id)) ? "none" : mode;
  if (fault === "crash_before") return crash();
  if (fault === "busy") throw Object.assign(new Error("Too busy."), { status: 429 });
  if (fault === "rpc_error") throw Object.assign(new Error("Refused on purpose."), { code: -32602 });
  if (called !== "idempotent_effect" || isFirst("effects", id)) write({ kind: "effect", ...entry });
  if (fault === "crash_after") return crash();
  if (fault === "hang") return new Promise(() => undefined);
  if (gate !== undefined) await opened(gate);
  const result = {
    // The SDK's HTTP client prepends it to the input.
    _meta: { "faultd/name": name },
    content: [{ type: "text", text: `done ${id} as ${randomUUID()} \u2028 "é😀"${"x".repeat(bytes)}` }],
    structuredContent: { z: [1, 2.5, -0.001, 1e21, null], a: { nested: true, "": "" }, id },
    ...(fault === "tool_error" ? { isError: true } : {}),
  };
  write({ kind: "answer", ...entry, ...(bytes > 0 ? {} : { result: JSON.stringify(result) }) });
  return result;
}

/** The JSON-RPC answer to a request; nothing for other messages. */
async function answer({ id, method, params = {} }, crash) {
  if (id === undefined || method === undefined) return undefined;
  try {
    return { jsonrpc: "2.0", id, result: await dispatch(method, params, crash) };
  } catch (error) {
    if (transport === "http" && error.status !== undefined) throw error;
    return { jsonrpc: "2.0", id, error: { code: error.code ?? -32603, message: error.message } };
  }
}

function dispatch(method, params, crash) {
  if (method === "initialize") {
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "faultd", version: "1.0.0" },
    };
  }
  if (method === "ping") return {};
  if (method === "tools/list") return { tools: TOOLS };
  if (method === "tools/call") return callTool(params, crash);
  throw Object.assign(new Error("Method not found"), { code: -32601 });
}

function serveStdio() {
  const crash = () => {
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => undefined);
  };
  createInterface({ input: process.stdin })
    .on("line", async (line) => {
      const reply = await answer(JSON.parse(line), crash);
      if (reply !== undefined) process.stdout.write(`${JSON.stringify(reply)}\n`);
    })
    // With FAULTD_STAYS it acts like a server with an open socket or timer that ignores the end of its input.
    .on("close", () =>
      process.env.FAULTD_STAYS === undefined ? process.exit(0) : setInterval(() => undefined, 60_000),
    );
}

/** A crash is simulated by a broken connection: all gateways share the process. */
function serveHttp() {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const crash = () => {
      request.socket.destroy();
      return new Promise(() => undefined);
    };
    const message = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const reply = await answer(message, crash).catch(({ status }) => ({ status }));
    if (reply?.status !== undefined) return response.writeHead(reply.status).end();
    if (reply === undefined) return response.writeHead(202).end();
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply));
  });
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
  process.stdin.on("end", () => process.exit(0)).resume();
}

if (transport === "http") serveHttp();
else serveStdio();
