// The stock client of the SDK calls one tool of a server. Start: node stock-caller.mjs TOOL COMMAND WORDS…
// Prints how long its event loop stood still at most, in milliseconds, and how the call ended.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [, , tool, command, ...args] = process.argv;
const delay = monitorEventLoopDelay({ resolution: 10 });
const client = new Client({ name: "stock", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
// Only a client that has seen the list checks what it gets.
await client.listTools();
delay.enable();
const from = performance.now();
const ending = await client.callTool({ name: tool, arguments: {} }).then(
  () => "answer",
  () => "error",
);
const ms = Math.round(performance.now() - from);
// The histogram learns of the last delay with the next turn.
await new Promise((resolve) => setTimeout(resolve, 50));
process.stdout.write(JSON.stringify({ ending, ms, heldUpMs: Math.round(delay.max / 1e6) }));
await client.close();
