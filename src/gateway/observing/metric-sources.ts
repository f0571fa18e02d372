import { isBuiltIn } from "../../catalog/snapshot.js";
import type { Stages } from "../stages.js";
import type { MetricSources, ServerNow } from "../../metrics/render-metrics.js";
import { VERSION } from "../../version.js";

export function toMetricSources({ snapshot, upstreams, lookup, runtime }: MetricStages): MetricSources {
  const servers = [...snapshot().servers.values()].filter((server) => !isBuiltIn(server));
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    version: VERSION,
    servers: servers.map(({ definition: { name }, tools }): ServerNow => {
      const state = upstreams.state(name);
      return {
        name,
        state: state.kind,
        tools: tools.filter(({ enabled }) => enabled).length,
        inFlight: state.kind === "open" ? state.inFlight : 0,
        waiting: state.kind === "open" || state.kind === "starting" ? (state.waiting ?? 0) : 0,
      };
    }),
    cache: lookup.counts(),
    process: {
      node: process.version,
      startedAtMs: runtime.now() - process.uptime() * 1000,
      cpuSeconds: (user + system) / 1_000_000,
      residentBytes: rss,
      heapBytes: heapUsed,
    },
  };
}

export type MetricStages = Pick<Stages, "snapshot" | "upstreams" | "lookup" | "runtime">;
