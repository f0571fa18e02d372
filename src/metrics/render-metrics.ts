import { type Family, type Labels, toCounter, toGauge } from "./instruments.js";
import type { Metrics } from "./metrics.js";
import { toPrometheusText } from "./to-text.js";

/** Current values (gauges) that are exported in addition to the counters. */
export interface MetricSources {
  readonly version: string;
  readonly servers: readonly ServerNow[];
  readonly cache: { readonly hits: number; readonly misses: number };
  readonly process: ProcessNow;
}

export interface ServerNow {
  readonly name: string;
  readonly state: (typeof STATES)[number];
  readonly tools: number;
  readonly inFlight: number;
  /** The number of calls in the server's queue. */
  readonly waiting: number;
}

export interface ProcessNow {
  readonly node: string;
  readonly startedAtMs: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
}

const STATES = ["closed", "starting", "open", "failed"] as const;

export function renderMetrics(metrics: Metrics, sources: MetricSources): string {
  return toPrometheusText([
    ...metrics.families(),
    toGauge({ name: "anygpt_calls_in_flight", help: "Calls in progress." }, [[{}, metrics.callsInFlight]]),
    ...serverFamilies(sources.servers),
    toCounter(
      {
        name: "anygpt_cache_lookups_total",
        help: "Catalog lookups, by whether the catalog had the answer or a server was queried.",
      },
      [
        [{ result: "hit" }, sources.cache.hits],
        [{ result: "miss" }, sources.cache.misses],
      ],
    ),
    ...processFamilies(sources),
  ]);
}

function serverFamilies(servers: readonly ServerNow[]): Family[] {
  const each = (of: (server: ServerNow) => number): [Labels, number][] =>
    servers.map((server) => [{ server: server.name }, of(server)]);
  return [
    toGauge(
      { name: "anygpt_upstream_state", help: "1 for the state that the connection to a server is in." },
      servers.flatMap(({ name, state }) =>
        STATES.map((one): [Labels, number] => [{ server: name, state: one }, one === state ? 1 : 0]),
      ),
    ),
    toGauge(
      { name: "anygpt_upstream_calls_in_flight", help: "Calls in progress at a server." },
      each(({ inFlight }) => inFlight),
    ),
    toGauge(
      { name: "anygpt_upstream_queue_depth", help: "Calls in a server's queue." },
      each(({ waiting }) => waiting),
    ),
    toGauge(
      { name: "anygpt_tools", help: "Known and enabled tools." },
      each(({ tools }) => tools),
    ),
  ];
}

function processFamilies({ version, process }: MetricSources): Family[] {
  const { node, startedAtMs, cpuSeconds, residentBytes, heapBytes } = process;
  return [
    toGauge({ name: "anygpt_build_info", help: "Version of the gateway and of Node.js." }, [[{ version, node }, 1]]),
    toCounter({ name: "process_cpu_seconds_total", help: "User and system CPU time in seconds." }, [[{}, cpuSeconds]]),
    toGauge({ name: "process_resident_memory_bytes", help: "Resident memory in bytes." }, [[{}, residentBytes]]),
    toGauge({ name: "process_heap_bytes", help: "Memory of JavaScript objects in bytes." }, [[{}, heapBytes]]),
    toGauge({ name: "process_start_time_seconds", help: "Start time of the process in Unix seconds." }, [
      [{}, startedAtMs / 1000],
    ]),
  ];
}
