import { EventEmitter } from "node:events";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createHome } from "../support/home.mjs";
import { DISCOVERY, ECHO } from "../support/places.mjs";
import { cpuMilliseconds } from "../support/processes.mjs";

export const SHED = Symbol("rejected with OVERLOADED");
const MANY = 10;
const SERVER = { command: process.execPath, args: [ECHO] };
/** A queue long enough for all calls of this row. The number of concurrent calls per server stays at its default. */
const RAISED = { upstreams: { queue: 2_000, queueWaitMs: 60_000 } };
const TEXT = "hello";

// The SDK client adds a listener for every write that has to wait, and Node warns at the eleventh.
EventEmitter.defaultMaxListeners = 2_000;

/** Paths to the echo server: directly to one or ten of them, through a gateway with a longer queue, and through a gateway with default settings. */
export async function openWays(folder) {
  const raised = await connectGateway(folder, { count: MANY, ...RAISED });
  const usual = await connectGateway(folder, { count: 1 });
  return {
    directOne: await openDirect(folder, 1),
    one: throughGateway(raised, 1),
    directTen: await openDirect(folder, MANY),
    ten: throughGateway(raised, MANY),
    byDefault: throughGateway(usual, 1),
  };
}

async function openDirect(folder, count) {
  const { env } = createHome(folder, {});
  const clients = [];
  for (let index = 0; index < count; index += 1) clients.push(await connect([ECHO], env));
  const call = { name: "echo", arguments: { text: TEXT } };
  let turn = 0;
  return {
    call: async () => read(await clients[turn++ % count].callTool(call)),
    cpuMs: () => clients.reduce((total, { transport }) => total + cpuMilliseconds(transport.pid), 0),
    close: async () => {
      for (const client of clients) await client.close();
    },
  };
}

function connectGateway(folder, { count, ...settings }) {
  const names = Array.from({ length: count }, (_, index) => [nameOf(index), SERVER]);
  const { config, env } = createHome(folder, { servers: Object.fromEntries(names), ...settings });
  return connect([DISCOVERY, "--config", config], env);
}

function throughGateway(client, count) {
  let turn = 0;
  return {
    call: async () => {
      const args = { server: nameOf(turn++ % count), tool: "echo", arguments: { text: TEXT } };
      return read(await client.callTool({ name: "execute_tool", arguments: args }));
    },
    cpuMs: () => cpuMilliseconds(client.transport.pid),
    close: () => client.close(),
  };
}

const nameOf = (index) => `echo-${index}`;

async function connect(args, env) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
  return client;
}

/** Accepts the right answer or `OVERLOADED`; any other result fails the row. */
function read({ content, isError }) {
  const [{ text }] = content;
  if (isError !== true && text === TEXT) return undefined;
  if (isError === true && JSON.parse(text).error?.code === "OVERLOADED") return SHED;
  throw new Error(`The echo came back as ${text}.`);
}
