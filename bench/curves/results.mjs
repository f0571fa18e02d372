import { toPoint } from "../support/curve.mjs";
import { createHome } from "../support/home.mjs";
import { DISCOVERY, SIZED } from "../support/places.mjs";
import { peakMegabytes } from "../support/processes.mjs";
import { median, timeEach } from "../support/statistics.mjs";
import { withServer } from "../support/stdio-server.mjs";

const SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const TOO_LARGE = 11_000_000;
/** Settings that return every result whole: `resultLimit` has its maximum, which equals the default size limit of a message. */
const WHOLE = {
  execution: { resultLimit: 10_485_760 },
  results: { maxTokens: 0 },
  upstreams: { maxMessageBytes: 33_554_432 },
};
const SERVERS = { sized: { command: process.execPath, args: [SIZED] } };

/** Cost by the size of a result: directly from the server, through a gateway that returns it whole, and through a gateway with default settings, which shortens it. */
export const curveResults = {
  name: "curve-results",
  about: "latency, throughput and memory with results of 1 KB to 10 MB",
  seconds: { usual: 60, quick: 20 },
  async run(context) {
    const measured = [];
    for (const size of SIZES) {
      console.error(`  ${size.toLocaleString("en-US")} bytes`);
      measured.push(await measure(context, size));
    }
    return { lines: [await measureTooLarge(context)], curve: toCurve(measured) };
  },
};

/** Starts new processes in every round, because otherwise the peak memory would include earlier sizes. */
async function measure({ folder, rounds }, size) {
  const ways = { direct: openDirect(folder), whole: openGateway(folder, WHOLE), byDefault: openGateway(folder, {}) };
  const seen = { size, direct: [], whole: [], byDefault: [] };
  const count = size >= 1_000_000 ? rounds(10, 5) : rounds(60, 20);
  for (let round = 0; round < rounds(5, 2); round += 1)
    for (const [name, use] of Object.entries(ways)) seen[name].push(await use((ask) => measureOnce(ask, size, count)));
  const lost = seen.whole.find(({ bytes }) => bytes !== size);
  if (lost !== undefined) throw new Error(`${size} bytes came through the gateway as ${lost.bytes}.`);
  return seen;
}

async function measureOnce({ call, pid }, size, count) {
  const first = await call(size);
  const code = codeOf(first);
  await timeEach(5, () => call(size));
  const ms = median(await timeEach(count, () => call(size)));
  const bytes = code === undefined ? Buffer.byteLength(toText(first)) : 0;
  return { ms, code, bytes, megabytes: peakMegabytes(pid) };
}

function codeOf(result) {
  return result.isError === true ? JSON.parse(toText(result)).error.code : undefined;
}

const toText = ({ content }) => content[0].text;

function openDirect(folder) {
  const { env } = createHome(folder, {});
  return (use) =>
    withServer([SIZED], env, (server) =>
      use({
        pid: server.pid,
        call: (bytes) => server.request("tools/call", { name: "sized", arguments: { bytes } }),
      }),
    );
}

function openGateway(folder, settings) {
  const { config, env } = createHome(folder, { servers: SERVERS, ...settings });
  const toCall = (bytes) => ({
    name: "execute_tool",
    arguments: { server: "sized", tool: "sized", arguments: { bytes } },
  });
  return (use) =>
    withServer([DISCOVERY, "--config", config], env, (server) =>
      use({ pid: server.pid, call: (bytes) => server.request("tools/call", toCall(bytes)) }),
    );
}

/** A result above the message limit must fail with the right error code, and the next call must work. */
async function measureTooLarge({ folder }) {
  const codes = await openGateway(
    folder,
    {},
  )(async ({ call }) => {
    const refused = await call(TOO_LARGE);
    const next = await call(SIZES[0]);
    return { code: codeOf(refused) ?? "no error", isNextAnswered: codeOf(next) === undefined };
  });
  const isTold = codes.code === "RESULT_TOO_LARGE" && codes.isNextAnswered;
  return {
    what: "results: over 10 MiB, rejected with an error code and the next call answered",
    value: isTold ? 1 : 0,
    unit: "of 1",
    budget: { least: 1 },
    note: `${TOO_LARGE.toLocaleString("en-US")} bytes: ${codes.code}`,
  };
}

function toCurve(measured) {
  const seriesOf = (list, name, toValues, toBaseline) => ({
    name,
    points: list.map((one) => toPoint(one.size, toValues(one), toBaseline?.(one))),
  });
  const series = (...of) => seriesOf(measured, ...of);
  const answered = measured.filter(({ byDefault }) => byDefault.every(({ code }) => code === undefined));
  const times = (way) => (one) => one[way].map(({ ms }) => ms);
  const added = (way) => (one) => one[way].map(({ ms }) => ms - median(times("direct")(one)));
  const rates = (way) => (one) => one[way].map(({ ms }) => one.size / 1_000 / ms);
  const peaks = (way) => (one) => one[way].map(({ megabytes }) => megabytes);
  const direct = (toValues) => (one) => ({ name: "direct", values: toValues("direct")(one) });
  const cut = measured.filter(({ size, byDefault }) => byDefault[0].bytes < size);
  return {
    name: "curve-results",
    title: "What it costs to pass larger results",
    x: "bytes of text in the result",
    panels: [
      {
        title: "One call",
        unit: "ms",
        series: [
          series("whole", times("whole"), direct(times)),
          series("added by the gateway", added("whole")),
          seriesOf(answered, "default budget of 6,000 tokens", times("byDefault")),
        ],
      },
      {
        title: "Text passed, one call after the other",
        unit: "MB/s",
        series: [series("whole", rates("whole"), direct(rates))],
      },
      {
        title: "Peak memory of the process",
        unit: "MB",
        series: [
          series("gateway, whole", peaks("whole"), (one) => ({
            name: "the server itself",
            values: peaks("direct")(one),
          })),
          seriesOf(answered, "gateway, default budget", peaks("byDefault")),
        ],
      },
    ],
    notes: cut.map(({ size, byDefault: [{ code, bytes }] }) => toNote(size, code, bytes)),
  };
}

function toNote(size, code, bytes) {
  const all = `${size.toLocaleString("en-US")} bytes`;
  if (code !== undefined) return `by default, ${all} are rejected with ${code}: as JSON they exceed 10 MiB`;
  return `by default, a view of ${bytes.toLocaleString("en-US")} bytes of ${all} reaches the model; the full result is stored`;
}
