// Polls the metrics of a running gateway and computes the rates per second.
import { DiscoveryError } from "../../errors.js";
import { createGuardedFetch } from "../../util/net/guarded-fetch.js";
import type { ProxyEnvironment } from "../../util/net/proxy.js";
import { describeSpan } from "../../util/time-words.js";
import { createLocalMetrics } from "./local-metrics.js";
import { parseMetrics } from "./parse-metrics.js";
import { subtractBuckets, type HistogramBucket, quantileIn } from "./quantile.js";
import { type Numbers, RATE_MS, type TopReading, type ReadingSource } from "./reading.js";
import { type ServerTally, type Tally, toTally } from "./tally.js";

export interface MetricsSourceParts {
  /** The URL of the gateway's metrics. */
  readonly url: URL;
  readonly token: string | undefined;
  /** The token of this machine. If set, the gateway must prove that it knows it, before `token` is sent. */
  readonly provenBy?: string | undefined;
  /** The environment variables for proxies and certificates. */
  readonly env: ProxyEnvironment;
  readonly now: () => number;
}

const LATENCY_WINDOW_MS = 300_000;
const TIMEOUT_MS = 5000;
const MAX_BYTES = 16 * 1024 * 1024;

export function createMetricsSource({ url, token, provenBy, env, now }: MetricsSourceParts): ReadingSource {
  const local =
    provenBy === undefined || token === undefined
      ? undefined
      : createLocalMetrics({ url, token: provenBy, sentToken: token, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  const guarded = createGuardedFetch({ server: url.host, allowInternal: [url.origin], env });
  let history: Tally[] = [];

  async function fetchMetrics(signal: AbortSignal): Promise<string> {
    if (local !== undefined) {
      const { status, text } = await local.fetch(signal);
      if (status === 200) return text;
      throw toError(url, status);
    }
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const limits = { timeoutMs: TIMEOUT_MS, maxTotalMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const response = await guarded.fetch({ url, method: "GET", headers, redirect: "refuse", ...limits }, signal);
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    if (response.status === 200) return Buffer.concat(chunks).toString("utf8");
    throw toError(url, response.status);
  }

  return {
    async read(signal) {
      const tally = toTally(parseMetrics(await fetchMetrics(signal)), now());
      // The gateway was restarted: its counters start from zero.
      if (tally.startedAt - (history.at(-1)?.startedAt ?? tally.startedAt) > 1000) history = [];
      history = [...history.filter(({ at }) => tally.at - at <= LATENCY_WINDOW_MS), tally];
      return readingFromMetrics(history, tally, url.origin);
    },
    close: async () => {
      local?.close();
      guarded.close();
    },
  };
}

export function readingFromMetrics(history: readonly Tally[], now: Tally, origin: string): TopReading {
  const upMs = Math.max(1, now.at - now.startedAt);
  const recent = history.find(({ at }) => now.at - at <= RATE_MS && at < now.at);
  const spanMs = recent === undefined ? upMs : now.at - recent.at;
  const numbersOf = (tally: ServerTally, before?: ServerTally, first?: ServerTally): Numbers => {
    const latest = subtractBuckets(first?.buckets ?? [], tally.buckets);
    const buckets = (latest.at(-1)?.count ?? 0) > 0 ? latest : tally.buckets;
    return {
      calls: tally.calls,
      errors: tally.errors,
      perSecond: Math.max(0, tally.calls - (before?.calls ?? 0)) / (spanMs / 1000),
      p50Ms: toMs(quantileIn(buckets, 0.5)),
      p95Ms: toMs(quantileIn(buckets, 0.95)),
    };
  };
  const servers = [...now.servers].map(([name, tally]) => {
    const { state, tools, inFlight, waiting } = tally;
    const numbers = numbersOf(tally, recent?.servers.get(name), history[0]?.servers.get(name));
    return { name, ...numbers, ...(state === undefined ? {} : { state }), tools, inFlight, waiting };
  });
  const { inFlight, searches, tokens } = now;
  return {
    at: now.at,
    origin,
    covers: `up ${describeSpan(upMs)}`,
    servers,
    total: numbersOf(sumOf(now), recent && sumOf(recent), history[0] && sumOf(history[0])),
    gateway: { inFlight, searches, tokens },
  };
}

function sumOf({ servers }: Tally): ServerTally {
  const all = [...servers.values()];
  const counts = new Map<number, number>();
  for (const { bound, count } of all.flatMap(({ buckets }) => buckets)) {
    counts.set(bound, (counts.get(bound) ?? 0) + count);
  }
  const add = (of: (server: ServerTally) => number): number => all.reduce((sum, server) => sum + of(server), 0);
  return {
    calls: add(({ calls }) => calls),
    errors: add(({ errors }) => errors),
    state: undefined,
    tools: add(({ tools }) => tools),
    inFlight: add(({ inFlight }) => inFlight),
    waiting: add(({ waiting }) => waiting),
    buckets: [...counts]
      .sort(([one], [other]) => one - other)
      .map(([bound, count]): HistogramBucket => ({ bound, count })),
  };
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

function toError({ host, pathname }: URL, status: number): DiscoveryError {
  if (status === 401 || status === 403) {
    return new DiscoveryError("UNAUTHORIZED", `${host} denied access to ${pathname} (HTTP ${status}).`, {
      hint: "Add --token-file FILE, with a file that contains a token with the scope anygpt:metrics.",
    });
  }
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${host} answered GET ${pathname} with HTTP ${status}.`, {
    hint: [
      "Name the URL of a running gateway.",
      { action: "run-command", command: "anygpt mcp serve --http", purpose: "start one" },
    ],
  });
}
