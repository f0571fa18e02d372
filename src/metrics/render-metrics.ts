import { type Family, type Labels, toCounter, toGauge } from "./instruments.js";
import type { Metrics } from "./metrics.js";
import { toText } from "./to-text.js";

/** What is so at this moment, beside what was counted. */
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
  /** Calls in line. */
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
  return toText([
    ...metrics.families(),
    toGauge({ name: "anygpt_calls_in_flight", help: "Calls under way." }, [[{}, metrics.callsInFlight]]),
    ...serverFamilies(sources.servers),
    toCounter({ name: "anygpt_cache_lookups_total", help: "Looks into the catalog, and whether a server was asked." }, [
      [{ result: "hit" }, sources.cache.hits],
      [{ result: "miss" }, sources.cache.misses],
    ]),
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
      { name: "anygpt_upstream_calls_in_flight", help: "Calls that a server is working on." },
      each(({ inFlight }) => inFlight),
    ),
    toGauge(
      { name: "anygpt_upstream_queue_depth", help: "Calls that wait for a place at a server." },
      each(({ waiting }) => waiting),
    ),
    toGauge(
      { name: "anygpt_tools", help: "Tools that are known and enabled." },
      each(({ tools }) => tools),
    ),
  ];
}

function processFamilies({ version, process }: MetricSources): Family[] {
  const { node, startedAtMs, cpuSeconds, residentBytes, heapBytes } = process;
  return [
    toGauge({ name: "anygpt_build_info", help: "Which gateway this is." }, [[{ version, node }, 1]]),
    toCounter({ name: "process_cpu_seconds_total", help: "Processor time, of user and system." }, [[{}, cpuSeconds]]),
    toGauge({ name: "process_resident_memory_bytes", help: "Memory that the process holds." }, [[{}, residentBytes]]),
    toGauge({ name: "process_heap_bytes", help: "Memory in use by JavaScript objects." }, [[{}, heapBytes]]),
    toGauge({ name: "process_start_time_seconds", help: "When the process was started, in Unix time." }, [
      [{}, startedAtMs / 1000],
    ]),
  ];
}
