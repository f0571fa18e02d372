// A server that records what it really received. Start: node wire-server.mjs FILE NAME; it exits when its standard input ends.
// Every line of FILE is one event, with the time of the monotonic clock that all processes share.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , file, name] = process.argv;
const FLOOD_PIECE = 16 * 1024;

const note = (kind, more) => {
  const atNs = String(process.hrtime.bigint());
  appendFileSync(file, `${JSON.stringify({ kind, server: name, pid: process.pid, atNs, ...more })}\n`);
};
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const drained = () => new Promise((resolve) => process.stdout.once("drain", resolve));

const anything = { type: "object" };
const readOnlyHint = true;
const tools = [
  { name: "exact", description: "Returns the line of its call unchanged.", inputSchema: anything },
  { name: "hold", description: "Does not answer; records its cancellation.", inputSchema: anything },
  { name: "flood", description: "Sends progress messages with this many bytes.", inputSchema: anything },
  { name: "quick", description: "Answers at once.", inputSchema: anything },
].map((tool) => ({ ...tool, annotations: { readOnlyHint } }));

/** Held calls, by the request id that this server received. */
const held = new Map();

/** As fast as it is read, or one chunk every so many milliseconds. */
async function flood({ bytes, everyMs, marker }, token) {
  for (let sent = 0; sent < bytes; sent += FLOOD_PIECE) {
    const params = { progressToken: token, progress: sent + 1, total: bytes, message: "x".repeat(FLOOD_PIECE) };
    if (!send({ method: "notifications/progress", params })) await drained();
    if (everyMs !== undefined) await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  note("flooded", { marker });
  return text(`flooded ${bytes}`);
}

function call(line, { id, params: { name: tool, arguments: args = {}, _meta: meta = {} } }) {
  if (tool === "exact") return text(line);
  if (tool === "flood") return flood(args, meta.progressToken);
  if (tool === "quick") return text("here");
  note("held", { marker: args.marker, id });
  held.set(id, args.marker);
  return new Promise(() => undefined);
}

const answers = {
  initialize: (_, { params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name, version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": call,
};

function take({ method, params = {} }) {
  if (method !== "notifications/cancelled") return;
  note("cancelled", { marker: held.get(params.requestId) ?? null, id: params.requestId });
  held.delete(params.requestId);
}

createInterface({ input: process.stdin })
  .on("line", async (line) => {
    const message = JSON.parse(line);
    const { id, method } = message;
    if (id === undefined) return take(message);
    const answer = answers[method];
    if (answer === undefined) return send({ id, error: { code: -32601, message: "Method not found" } });
    const result = await answer(line, message);
    send({ id, result });
  })
  .on("close", () => process.exit(0));
