// The baseline for open connections: a process with several SDK clients, each with its own server.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mapAtOnce } from "../support/at-once.mjs";

process.once("message", async ({ server, counts, atOnce, env }) => {
  const clients = [];
  const seen = [];
  const before = megabytesInUse();
  for (const count of counts) {
    const started = performance.now();
    const missing = Array.from({ length: count - clients.length });
    clients.push(...(await mapAtOnce(missing, atOnce, () => connect(server, env))));
    const openMs = (performance.now() - started) / missing.length;
    seen.push({ count, openMs, megabytes: megabytesInUse() - before });
  }
  for (const client of clients) await client.close();
  process.send(seen, () => process.disconnect());
});

async function connect(server, env) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ ...server, env, stderr: "ignore" }));
  const { isError } = await client.callTool({ name: "echo", arguments: { text: "hello" } });
  if (isError === true) throw new Error("The echo failed.");
  return client;
}

/** Memory in use after a garbage collection. Resident memory varies by more than a few connections take. */
function megabytesInUse() {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}
