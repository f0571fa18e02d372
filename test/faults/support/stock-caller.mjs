// The official SDK client calls one tool of a server. Start: node stock-caller.mjs TOOL COMMAND WORDS…
// Prints the longest block of its event loop in milliseconds, and the outcome of the call.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [, , tool, command, ...args] = process.argv;
const delay = monitorEventLoopDelay({ resolution: 10 });
const client = new Client({ name: "stock", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
// Only a client that has listed the tools validates results.
await client.listTools();
delay.enable();
const from = performance.now();
const ending = await client.callTool({ name: tool, arguments: {} }).then(
  () => "answer",
  () => "error",
);
const ms = Math.round(performance.now() - from);
// The histogram records the last delay in the next turn.
await new Promise((resolve) => setTimeout(resolve, 50));
process.stdout.write(JSON.stringify({ ending, ms, heldUpMs: Math.round(delay.max / 1e6) }));
await client.close();
