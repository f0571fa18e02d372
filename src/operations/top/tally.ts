import type { MetricSample } from "./parse-metrics.js";
import type { HistogramBucket } from "./quantile.js";

/** The counters of a gateway at one time. */
export interface Tally {
  readonly at: number;
  readonly startedAt: number;
  readonly servers: ReadonlyMap<string, ServerTally>;
  readonly inFlight: number;
  readonly searches: number;
  readonly tokens: { readonly answers: number; readonly listings: number };
}

export interface ServerTally {
  calls: number;
  errors: number;
  state: string | undefined;
  tools: number;
  inFlight: number;
  waiting: number;
  readonly buckets: HistogramBucket[];
}

/** The name under which calls to nonexistent servers are counted. */
export const NO_SERVER = "(no such server)";

const SUCCESS = new Set(["ok", "dry_run"]);

export function toTally(samples: readonly MetricSample[], at: number): Tally {
  const servers = new Map<string, ServerTally>();
  const tallyOf = (name: string = NO_SERVER): ServerTally => {
    const tally = servers.get(name) ?? emptyTally();
    servers.set(name, tally);
    return tally;
  };
  const sums = new Map<string, number>();
  for (const sample of samples) {
    sums.set(sample.name, (sums.get(sample.name) ?? 0) + sample.value);
    READERS[sample.name]?.(() => tallyOf(sample.labels["server"]), sample);
  }
  const sum = (name: string): number => sums.get(name) ?? 0;
  return {
    at,
    startedAt: sum("process_start_time_seconds") * 1000,
    servers,
    inFlight: sum("anygpt_calls_in_flight"),
    searches: sum("anygpt_searches_total"),
    tokens: { answers: sum("anygpt_search_tokens_total"), listings: sum("anygpt_listing_tokens_total") },
  };
}

type Reader = (server: () => ServerTally, sample: MetricSample) => void;

const READERS: Readonly<Record<string, Reader>> = {
  anygpt_calls_total(server, { labels, value }) {
    server().calls += value;
    if (!SUCCESS.has(labels["outcome"] ?? "")) server().errors += value;
  },
  anygpt_call_duration_seconds_bucket(server, { labels, value }) {
    const bound = labels["le"] === "+Inf" ? Infinity : Number(labels["le"]);
    server().buckets.push({ bound, count: value });
  },
  anygpt_upstream_state(server, { labels, value }) {
    if (value === 1) server().state = labels["state"];
  },
  anygpt_upstream_calls_in_flight(server, { value }) {
    server().inFlight = value;
  },
  anygpt_upstream_queue_depth(server, { value }) {
    server().waiting = value;
  },
  anygpt_tools(server, { value }) {
    server().tools = value;
  },
};

function emptyTally(): ServerTally {
  return { calls: 0, errors: 0, state: undefined, tools: 0, inFlight: 0, waiting: 0, buckets: [] };
}
