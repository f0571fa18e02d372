// Returns a text of the requested size. The text is created only once, so that the benchmark measures the transport.
import { createInterface } from "node:readline";

const LINE = '{"id": 4711, "title": "Über die Größe", "path": "C:\\\\temp", "done": false}\n';
const TOOL = {
  name: "sized",
  description: "Returns a text of the given number of bytes.",
  inputSchema: { type: "object", properties: { bytes: { type: "integer" } }, required: ["bytes"] },
  annotations: { readOnlyHint: true },
};
const made = new Map();

function toResult(bytes) {
  const result = made.get(bytes) ?? makeResult(bytes);
  made.set(bytes, result);
  return result;
}

/** Lines like those of logs and listings, with quotes, line breaks and two-byte letters, padded to the exact size. */
function makeResult(bytes) {
  const lines = Math.floor(bytes / Buffer.byteLength(LINE));
  const text = LINE.repeat(lines).padEnd(LINE.length * lines + (bytes - Buffer.byteLength(LINE) * lines), ".");
  return JSON.stringify({ content: [{ type: "text", text }] });
}

const answers = {
  initialize: ({ protocolVersion }) =>
    JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "sized", version: "1.0.0" } }),
  "tools/list": () => JSON.stringify({ tools: [TOOL] }),
  "tools/call": ({ arguments: { bytes } }) => toResult(bytes),
  ping: () => "{}",
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = answers[method];
    const outcome =
      answer === undefined ? '"error":{"code":-32601,"message":"Method not found"}' : `"result":${answer(params)}`;
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}\n`);
  })
  .on("close", () => process.exit(0));
