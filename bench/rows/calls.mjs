import { open } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createHome } from "../support/home.mjs";
import { BARE, DISCOVERY, ECHO } from "../support/places.mjs";
import { median, quantile, spreadOf, timeEach } from "../support/statistics.mjs";

const IN_FLIGHT = 32;
const BLOCKS = 10;

/** The time that the gateway adds to a call on an open connection: same client and server, with and without the gateway in between. */
export const calls = {
  name: "calls",
  about: "latency added to a call on an open connection, throughput, and the share of the audit log",
  async run({ folder, rounds }) {
    const ways = await openWays(folder);
    try {
      // Warm-up: V8 must have optimised every path before the measurement starts.
      for (const way of Object.values(ways)) await rateOf(way.call, rounds(6000, 2000));
      const latencies = await inTurns(ways, BLOCKS, (way) => timeEach(rounds(100, 50), way.call));
      const rates = await inTurns(ways, BLOCKS, async (way) => [await rateOf(way.call, rounds(1500, 500))]);
      return [...latencyLines(latencies), ...rateLines(rates), await syncLine(folder, rounds(200, 50))];
    } finally {
      for (const way of Object.values(ways)) await way.close();
    }
  },
};

/** The echo server uses almost no time itself; the bare server uses as much as a typical server built on the SDK. */
const BEHIND = {
  echo: { file: ECHO, tool: "echo" },
  sdk: { file: BARE, tool: "one" },
};

async function openWays(folder) {
  const servers = Object.fromEntries(
    Object.entries(BEHIND).map(([name, { file }]) => [name, { command: process.execPath, args: [file] }]),
  );
  const open = { direct: openDirect(folder), audited: openGateway(folder, { servers }) };
  const unaudited = openGateway(folder, { servers, audit: { enabled: false } });
  const unsynced = openGateway(folder, { servers, audit: { sync: "risky" } });
  return {
    direct: await open.direct("echo"),
    gateway: await open.audited("echo"),
    unsynced: await unsynced("echo"),
    unaudited: await unaudited("echo"),
    directSdk: await open.direct("sdk"),
    gatewaySdk: await open.audited("sdk"),
  };
}

function openDirect(folder) {
  const { env } = createHome(folder, {});
  return async (name) => {
    const { file, tool } = BEHIND[name];
    return toWay(await connect([file], env), { name: tool, arguments: { text: "hello" } });
  };
}

function openGateway(folder, configuration) {
  const { config, env } = createHome(folder, configuration);
  let client;
  return async (server) => {
    client ??= connect([DISCOVERY, "--config", config], env);
    const args = { server, tool: BEHIND[server].tool, arguments: { text: "hello" } };
    return toWay(await client, { name: "execute_tool", arguments: args });
  };
}

async function connect(args, env) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
  return client;
}

function toWay(client, call) {
  return {
    async call() {
      const { content, isError } = await client.callTool(call);
      if (isError === true || content[0].text !== "hello") throw new Error(`The echo came back as ${content[0].text}.`);
    },
    close: () => client.close(),
  };
}

/** Measures short blocks of each path in turn, so that other load on the machine affects all paths equally. */
async function inTurns(ways, blocks, measure) {
  const measured = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let block = 0; block < blocks; block += 1) {
    for (const [name, way] of Object.entries(ways)) measured[name].push(...(await measure(way)));
  }
  return measured;
}

/** Calls per second with a fixed number of calls in flight. */
async function rateOf(call, count) {
  let left = count;
  const started = performance.now();
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return (count * 1000) / (performance.now() - started);
}

function latencyLines({ direct, gateway, unsynced, unaudited, directSdk, gatewaySdk }) {
  const line = (what, times, { than = direct, share = 0.5 } = {}) => ({
    what: `added to a call, ${what}`,
    value: quantile(times, share) - quantile(than, share),
    unit: "ms",
    baseline: { name: than === direct ? "direct to echo" : "direct to SDK server", value: quantile(than, share) },
    ratio: quantile(times, share) / quantile(than, share),
  });
  const { low, high } = spreadOf(gateway);
  return [
    {
      ...line("median", gateway),
      spread: { low: low - median(direct), high: high - median(direct) },
      budget: { most: 1 },
      note: `${gateway.length} calls each way`,
    },
    line("p99", gateway, { share: 0.99 }),
    line("median, audit.sync risky", unsynced),
    line("median, audit off", unaudited),
    line("median, SDK server", gatewaySdk, { than: directSdk }),
  ];
}

function rateLines({ direct, gateway, unsynced, unaudited, directSdk, gatewaySdk }) {
  const line = (what, rates, than = direct) => ({
    what: `throughput, ${IN_FLIGHT} in flight${what}`,
    value: median(rates),
    unit: "calls/s",
    spread: spreadOf(rates),
    baseline: { name: than === direct ? "direct to echo" : "direct to SDK server", value: median(than) },
    ratio: median(rates) / median(than),
  });
  const budget = { least: 0.6, of: "ratio" };
  return [
    { ...line("", gateway), budget },
    line(", audit.sync risky", unsynced),
    line(", audit off", unaudited),
    { ...line(", SDK server", gatewaySdk, directSdk), budget },
  ];
}

/** The time that this disk needs to make one record durable. The gateway cannot make this part of a call shorter. */
async function syncLine(folder, count) {
  const file = await open(join(folder, "sync"), "a");
  try {
    const times = await timeEach(count, async () => {
      await file.appendFile(`${"x".repeat(300)}\n`);
      await file.datasync();
    });
    return { what: "one durable append on this disk", value: median(times), unit: "ms", spread: spreadOf(times) };
  } finally {
    await file.close();
  }
}
