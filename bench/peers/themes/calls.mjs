import { ECHO } from "../../support/places.mjs";
import { median, quantile, timeEach } from "../../support/statistics.mjs";
import { ours, oursUnaudited, oursUnauditedOnNewerNode } from "../adapters/ours.mjs";
import { endAll } from "../support/census.mjs";
import { textOf } from "../support/connect.mjs";
import { within } from "../support/limit.mjs";
import { createHome, openPeer, untilCalled } from "../support/session.mjs";

const IN_FLIGHT = 32;
const CALL_LIMIT_MS = 20_000;
const BASELINES = new Set(["direct", oursUnaudited.name, oursUnauditedOnNewerNode.name]);

/** A call on an open connection to the same server, compared with the same call without a gateway. */
export const calls = {
  name: "calls",
  about: "latency and throughput of a call on an open connection, as ratios to direct",
  seconds: { usual: 240, quick: 40 },
  async run(context) {
    const ways = [];
    const lost = [];
    try {
      for (const peer of withVariantsOfOurs(context.peers)) await openWay(context, peer, { ways, lost });
      const rounds = context.isQuick
        ? { blocks: 4, warm: 300, each: 30, rate: 200 }
        : { blocks: 8, warm: 4000, each: 125, rate: 2000 };
      for (const way of ways) await drop(context, { way, ways, lost }, () => rateOf(way.call, rounds.warm));
      context.say("calls: latency, in turns");
      const latencies = await inTurns(context, { ways, lost, blocks: rounds.blocks }, (way) =>
        timeEach(rounds.each, way.call),
      );
      context.say(`calls: throughput with ${IN_FLIGHT} in flight, in turns`);
      const rates = await inTurns(context, { ways, lost, blocks: rounds.blocks }, async (way) => [
        await rateOf(way.call, rounds.rate),
      ]);
      context.show(toTable({ ways, lost, latencies, rates }));
    } finally {
      for (const way of ways) await way.end();
    }
  },
};

/** Also measures this gateway without its audit log, because no peer has one, and on the newer Node if a peer needs it. */
function withVariantsOfOurs(peers) {
  const newer = peers.find(runsOnNewerNode);
  return peers.flatMap((peer) => {
    if (peer.adapter !== ours) return [peer];
    const unaudited = { ...peer, adapter: oursUnaudited };
    return newer === undefined
      ? [peer, unaudited]
      : [peer, unaudited, { ...peer, adapter: oursUnauditedOnNewerNode, node: newer.node }];
  });
}

function runsOnNewerNode({ node }) {
  return node !== process.execPath;
}

async function openWay(context, peer, { ways, lost }) {
  const { name, notes, needsNode } = peer.adapter;
  context.say(`calls: opening ${name}`);
  const home = createHome(context.folder, name);
  const servers = { echo: { command: process.execPath, args: [ECHO] } };
  try {
    const gateway = await openPeer(peer, { servers, home });
    const call = async () => {
      const result = await within(CALL_LIMIT_MS, "A call", gateway.call("echo", "echo", { text: "hello" }));
      if (!textOf(result).includes("hello")) throw new Error(`The echo came back as ${textOf(result).slice(0, 100)}`);
    };
    const end = async () => {
      await gateway.close();
      gateway.stop();
      await endAll(home);
    };
    const onNode =
      needsNode && runsOnNewerNode(peer) ? `${name} needs Node ${needsNode} and has a newer one` : undefined;
    ways.push({ name, note: notes?.calls ?? onNode, call, end });
    await untilCalled(gateway, call);
  } catch (error) {
    await endAll(home);
    giveUp(context, { name, ways, lost }, error);
  }
}

function giveUp(context, { name, ways, lost }, error) {
  context.say(`calls: ${name} is skipped: ${error.message}`);
  const index = ways.findIndex((way) => way.name === name);
  if (index !== -1) void ways.splice(index, 1)[0].end();
  lost.push({
    name,
    cells: {},
    notes: { row: `${name} was skipped after an error: ${error.message.replace(/\.$/, "")}` },
  });
}

async function drop(context, { way, ways, lost }, act) {
  try {
    return await act();
  } catch (error) {
    giveUp(context, { name: way.name, ways, lost }, error);
    return undefined;
  }
}

/** Measures short blocks of each path in turn, so that other load on the machine affects all paths equally. */
async function inTurns(context, { ways, lost, blocks }, measure) {
  const measured = new Map();
  for (let block = 0; block < blocks; block += 1) {
    for (const way of ways.slice()) {
      const values = await drop(context, { way, ways, lost }, () => measure(way));
      measured.set(way.name, [...(measured.get(way.name) ?? []), ...(values ?? [])]);
    }
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

function toTable({ ways, lost, latencies, rates }) {
  const base = { latency: latencies.get("direct"), rate: rates.get("direct") };
  const rows = ways.map(({ name, note }) => {
    const own = { latency: latencies.get(name), rate: rates.get(name) };
    return {
      name,
      isBaseline: BASELINES.has(name),
      notes: note === undefined ? {} : { row: note },
      cells: {
        median: median(own.latency),
        p99: quantile(own.latency, 0.99),
        ratio: median(own.latency) / median(base.latency),
        rate: median(own.rate),
        rateRatio: median(own.rate) / median(base.rate),
      },
    };
  });
  return {
    title: `Calls on an open connection, ${latencies.get("direct").length} calls each way in turns`,
    columns: [
      { key: "median", label: "median ms", better: "low", margin: 0.05 },
      { key: "p99", label: "p99 ms", better: "low", margin: 0.1 },
      { key: "ratio", label: "× direct", digits: 2 },
      { key: "rate", label: `calls/s, ${IN_FLIGHT} in flight`, better: "high", margin: 0.05 },
      { key: "rateRatio", label: "× direct", digits: 2 },
    ],
    rows: [...rows, ...lost],
    notes: [
      "The server behind is the same echo; ours writes a durable record of every call (audit), which is its default.",
    ],
  };
}
