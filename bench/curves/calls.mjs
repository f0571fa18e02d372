import { toPoint } from "../support/curve.mjs";
import { SHED, openWays } from "./ways.mjs";
import { median, quantile, sum } from "../support/statistics.mjs";

const WIDTHS = [1, 4, 16, 64, 256, 1_000];
/** The default capacity of one server: running calls plus queued calls. */
const DEFAULT_ROOM = 16 + 64;

/** Latency and throughput by the number of calls in flight, directly and through the gateway, to one server and to ten. */
export const curveCalls = {
  name: "curve-calls",
  about: "latency and throughput with 1 to 1,000 calls in flight, to one server and to ten",
  seconds: { usual: 110, quick: 35 },
  async run({ folder, rounds }) {
    const ways = await openWays(folder);
    try {
      for (const way of Object.values(ways)) await runBlock(way, { width: 32, count: rounds(4000, 1500) });
      const measured = [];
      for (const width of WIDTHS) {
        console.error(`  ${width.toLocaleString("en-US")} in flight`);
        measured.push(await measure(ways, { width, blocks: rounds(7, 3), count: countFor(width, rounds) }));
      }
      return { lines: toLines(measured), curve: toCurve(measured) };
    } finally {
      for (const way of Object.values(ways)) await way.close();
    }
  },
};

function countFor(width, rounds) {
  return width === 1 ? rounds(300, 150) : Math.max(rounds(1000, 400), 2 * width);
}

/** Measures short blocks of each path in turn, so that other load on the machine affects all paths equally. */
async function measure(ways, { width, blocks, count }) {
  const seen = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let block = 0; block < blocks; block += 1)
    for (const [name, way] of Object.entries(ways)) seen[name].push(await runBlock(way, { width, count }));
  return { width, ...seen };
}

async function runBlock(way, { width, count }) {
  const times = [];
  let left = count;
  let shed = 0;
  const [started, cpuBefore] = [performance.now(), way.cpuMs()];
  const work = async () => {
    while (left > 0) {
      left -= 1;
      const from = performance.now();
      if ((await way.call()) === SHED) shed += 1;
      else times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  const seconds = (performance.now() - started) / 1000;
  const cpu = ((way.cpuMs() - cpuBefore) * 1000) / count;
  return { cpu, rate: times.length / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99), shed, count };
}

const toShare = (blocks) => (100 * sum(blocks.map(({ shed }) => shed))) / sum(blocks.map(({ count }) => count));

/** The share of calls that were rejected with `OVERLOADED`. It must be zero while the queue has room. Any other error fails the row earlier. */
function toLines(measured) {
  const raised = measured.flatMap(({ one, ten }) => [one, ten]);
  const within = measured.filter(({ width }) => width <= DEFAULT_ROOM);
  const last = measured.at(-1);
  const line = (what, blocks, note) => ({
    what: `calls: rejected with OVERLOADED, ${what}`,
    value: toShare(blocks),
    unit: "%",
    spread: { low: 0, high: Math.max(...blocks.map((block) => toShare([block]))) },
    baseline: { name: "direct", value: toShare(last.directOne) },
    ...note,
  });
  return [
    line("queue raised", raised.flat(), { budget: { most: 0 }, note: "spread is 0 to the worst block" }),
    line(
      `default limits, up to ${within.at(-1).width} in flight`,
      within.flatMap(({ byDefault }) => byDefault),
      { budget: { most: 0 } },
    ),
    line(`default limits, ${last.width.toLocaleString("en-US")} in flight`, last.byDefault, {
      note: `one server runs 16 calls and queues 64; further calls are rejected at once, and nothing is sent; ${Math.round(median(last.byDefault.map(({ rate }) => rate)))} calls/s were answered meanwhile`,
    }),
  ];
}

function toCurve(measured) {
  const series = (name, way, member, direct) => ({
    name,
    points: measured.map((one) => {
      const values = (blocks) => blocks.map((block) => block[member]);
      const baseline = direct === undefined ? undefined : { name: "direct", values: values(one[direct]) };
      return toPoint(one.width, values(one[way]), baseline);
    }),
  });
  return {
    name: "curve-calls",
    title: "What it costs to have more calls in flight",
    x: "calls in flight",
    panels: [
      {
        title: "Throughput",
        unit: "calls/s",
        series: [
          series("one server", "one", "rate", "directOne"),
          series("ten servers", "ten", "rate", "directTen"),
          series("one server, default limits, answered", "byDefault", "rate"),
        ],
      },
      {
        title: "Latency, p50",
        unit: "ms",
        series: [
          series("one server", "one", "p50", "directOne"),
          series("ten servers", "ten", "p50", "directTen"),
          series("one server, default limits, answered", "byDefault", "p50"),
        ],
      },
      {
        title: "Latency, p99",
        unit: "ms",
        series: [
          series("one server", "one", "p99", "directOne"),
          series("ten servers", "ten", "p99", "directTen"),
          series("one server, default limits, answered", "byDefault", "p99"),
        ],
      },
      {
        title: "Processor time per call, all threads",
        unit: "µs",
        series: [series("gateway, one server", "one", "cpu"), series("gateway, ten servers", "ten", "cpu")],
      },
    ],
    notes: measured
      .filter(({ byDefault }) => toShare(byDefault) > 0)
      .map(
        ({ width, byDefault }) =>
          `default limits, ${width} in flight: ${toShare(byDefault).toFixed(0)} % rejected with OVERLOADED`,
      ),
  };
}
