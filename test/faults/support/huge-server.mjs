// A server with answers of any size, which it does not hold in memory. Start: node huge-server.mjs FOLDER
// `huge` answers with this many MiB in one line, with the id first or last; later requests are answered after it.
import { once } from "node:events";
import { createInterface } from "node:readline";

const CHUNK = Buffer.alloc(1024 * 1024, "x");
const tool = (name, description) => ({
  name,
  description,
  inputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
});

let line = Promise.resolve();
const write = async (bytes) => {
  if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
};
/** One complete line after the other. */
const writeLine = (work) => {
  line = line.then(work);
};

function huge(id, { mib, last }) {
  writeLine(async () => {
    await write(
      last
        ? '{"result":{"content":[{"type":"text","text":"'
        : `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`,
    );
    for (let written = 0; written < mib; written += 1) await write(CHUNK);
    await write(last ? `"}]},"jsonrpc":"2.0","id":${id}}\n` : '"}]}}\n');
  });
}

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "huge", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [tool("huge", "Answers at length."), tool("small", "Answers shortly.")] }),
  "tools/call": ({ arguments: { text = "" } = {} }) => ({ content: [{ type: "text", text }] }),
};

createInterface({ input: process.stdin })
  .on("line", (text) => {
    const { id, method, params = {} } = JSON.parse(text);
    if (id === undefined) return;
    if (method === "tools/call" && params.name === "huge") return huge(id, params.arguments);
    const answer = results[method]?.(params);
    const said = answer === undefined ? { error: { code: -32601, message: "Method not found" } } : { result: answer };
    writeLine(() => write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`));
  })
  .on("close", () => process.exit(0));
