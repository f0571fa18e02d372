import { measureKnown } from "./known-servers.mjs";
import { measureLive } from "./live-servers.mjs";
import { toPoint } from "../support/curve.mjs";
import { median } from "../support/statistics.mjs";

/** First servers that are known but not started, then connected servers. */
export const curveServers = {
  name: "curve-servers",
  about: "cost by the number of servers: 1 to 1,000 known, 1 to 100 connected",
  dependsOnTools: true,
  seconds: { usual: 120, quick: 40 },
  async run(context) {
    const known = await measureKnown(context);
    const live = await measureLive(context);
    return { lines: [], curve: toCurve(known, live) };
  },
};

function toCurve(known, live) {
  const series = (measured, name, toValues, toBaseline) => ({
    name,
    points: measured.map((one) => toPoint(one.count, toValues(one), toBaseline?.(one))),
  });
  const ofStarts =
    (member) =>
    ({ ours }) =>
      ours.map((one) => one[member]);
  const ofBare =
    (member) =>
    ({ bare }) => ({ name: "a bare SDK server", values: bare.map((one) => one[member]) });
  const aboveBare = ({ ours, bare }) => {
    const least = median(bare.map(({ megabytes }) => megabytes));
    return ours.map(({ megabytes }) => megabytes - least);
  };
  const eachOf = (toMegabytes) => (one) => {
    const first = toMegabytes(live[0]);
    return toMegabytes(one).map((all, round) => (all - first[round]) / (one.count - 1));
  };
  return {
    name: "curve-servers",
    title: "What it costs to have more servers (10 tools each)",
    x: "servers",
    panels: [
      {
        title: "Known, none started",
        unit: "ms",
        series: [
          series(known, "start to first tools/list", ofStarts("listedMs"), ofBare("listedMs")),
          series(
            known,
            "reload",
            ({ reloadMs }) => reloadMs,
            ({ openMs }) => ({ name: "a new engine", values: openMs }),
          ),
          series(known, "list_mcp_servers", ofStarts("askedMs"), ofBare("askedMs")),
        ],
      },
      {
        title: "Known: memory above a bare SDK server",
        unit: "MB",
        series: [series(known, "process, catalog read", aboveBare)],
      },
      {
        title: "Open: time for each, 4 at a time",
        unit: "ms",
        series: [
          series(
            live,
            "first call, start included",
            ({ openMs }) => openMs,
            ({ sdk }) => ({
              name: "SDK clients",
              values: sdk.map(({ openMs }) => openMs),
            }),
          ),
        ],
      },
      {
        title: "Open: private memory of the gateway",
        unit: "MB",
        series: [
          series(
            live,
            "all connections",
            ({ megabytes }) => megabytes,
            ({ sdk }) => ({
              name: "SDK clients, heap in use",
              values: sdk.map(({ megabytes }) => megabytes),
            }),
          ),
          series(
            live.slice(1),
            "each after the first",
            eachOf(({ megabytes }) => megabytes),
            (one) => ({
              name: "SDK clients, heap in use",
              values: eachOf(({ sdk }) => sdk.map(({ megabytes }) => megabytes))(one),
            }),
          ),
        ],
      },
    ],
    notes: [
      "open: the figure of the SDK clients is memory in use after a garbage collection; that of the gateway is all private memory, including garbage",
      "open: the gateway process only, above its memory with all servers known and none open; the reaper and the servers are separate processes",
      `children started by the known ones: ${Math.max(...known.flatMap(({ ours }) => ours.map(({ children }) => children)))}`,
    ],
  };
}
