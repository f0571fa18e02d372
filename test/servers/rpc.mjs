// JSON-RPC over stdin and stdout without the SDK, for servers that must start fast or misbehave.
import { createInterface } from "node:readline";

export function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

export const text = (value) => ({ content: [{ type: "text", text: String(value) }] });

/** Serves the legacy era. `handlers` answer by method; a thrown `{code, message}` becomes a JSON-RPC error. */
export function serve(handlers, { capabilities = { tools: { listChanged: true }, logging: {} }, name = "echo" } = {}) {
  const all = {
    initialize: (params) => ({
      protocolVersion: params.protocolVersion,
      capabilities,
      serverInfo: { name, title: `The ${name} server`, version: "1.2.3" },
      instructions: `Use ${name} wisely.`,
    }),
    ping: () => ({}),
    ...handlers,
  };
  createInterface({ input: process.stdin })
    .on("line", async (line) => {
      const { id, method, params = {} } = JSON.parse(line);
      if (id === undefined) return all[method]?.(params);
      if (method === undefined) return;
      if (all[method] === undefined) return send({ id, error: { code: -32601, message: "Method not found" } });
      try {
        const result = await all[method](params, id);
        if (result !== undefined) send({ id, result });
      } catch (error) {
        send({ id, error: { code: error.code ?? -32603, message: error.message } });
      }
    })
    .on("close", () => process.exit(0));
}
