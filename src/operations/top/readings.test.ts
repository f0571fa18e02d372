import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createMetrics } from "../../metrics/metrics.js";
import { type MetricSources, renderMetrics } from "../../metrics/render-metrics.js";
import type { AuditRecord } from "../../store/audit-records.js";
import { createAuditSource } from "./audit-source.js";
import { createMetricsSource } from "./metrics-source.js";
import { parseMetrics } from "./parse-metrics.js";
import { subtractBuckets, quantileIn, quantileOf } from "./quantile.js";

describe("quantiles", () => {
  it("are the nearest-rank values of a sorted list", () => {
    expect([0.5, 0.95, 1].map((part) => quantileOf([1, 2, 3, 4], part))).toEqual([2, 4, 4]);
    expect(quantileOf([], 0.5)).toBeUndefined();
  });

  it.each([
    [
      [
        { bound: 1, count: 0 },
        { bound: 2, count: 10 },
        { bound: Infinity, count: 10 },
      ],
      0.5,
      1.5,
    ],
    [
      [
        { bound: 1, count: 1 },
        { bound: Infinity, count: 10 },
      ],
      0.95,
      1,
    ],
    [
      [
        { bound: 1, count: 0 },
        { bound: Infinity, count: 0 },
      ],
      0.5,
      undefined,
    ],
    [[], 0.5, undefined],
  ])("are estimated from the buckets %j: %s is %s", (buckets, part, value) => {
    expect(quantileIn(buckets, part)).toBe(value);
  });

  it("are estimated from the values between two states", () => {
    const before = [
      { bound: 1, count: 5 },
      { bound: 2, count: 5 },
    ];
    const after = [
      { bound: 1, count: 5 },
      { bound: 2, count: 9 },
    ];
    expect(subtractBuckets(before, after)).toEqual([
      { bound: 1, count: 0 },
      { bound: 2, count: 4 },
    ]);
  });
});

it("parses rendered metrics, also with special characters in a server name", () => {
  const metrics = createMetrics();
  metrics.callBegan();
  metrics.callEnded({ server: 'a"b\\\n}, c', risk: "low", outcome: "ok", seconds: 1 });
  const samples = parseMetrics(renderMetrics(metrics, sourcesAt(0)));
  expect(samples).toContainEqual({
    name: "anygpt_calls_total",
    labels: { server: 'a"b\\\n}, c', risk: "low", outcome: "ok" },
    value: 1,
  });
  expect(parseMetrics("x +Inf\nrubbish\n# TYPE x gauge\n")).toEqual([{ name: "x", labels: {}, value: Infinity }]);
});

function sourcesAt(startedAtMs: number): MetricSources {
  return {
    version: "1",
    servers: [{ name: "github", state: "open", tools: 3, inFlight: 1, waiting: 2 }],
    cache: { hits: 0, misses: 0 },
    process: { node: "v20", startedAtMs, cpuSeconds: 0, residentBytes: 0, heapBytes: 0 },
  };
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serveText(answer: () => { status: number; text: string }, seen: string[] = []) {
  const gateway = createServer((request, response) => {
    seen.push(request.headers.authorization ?? "");
    const { status, text } = answer();
    response.writeHead(status).end(text);
  });
  gateway.listen(0, "127.0.0.1");
  await once(gateway, "listening");
  closing.push(() => gateway.close());
  return new URL(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}/metrics`);
}

describe("the metrics source", () => {
  it("computes rates since the start of the gateway at first, then since the last reading", async () => {
    const metrics = createMetrics();
    const call = (seconds: number, outcome: "ok" | "error" = "ok"): void => {
      metrics.callBegan();
      metrics.callEnded({ server: "github", risk: "low", outcome, seconds });
    };
    for (let index = 0; index < 100; index += 1) call(0.007);
    const seen: string[] = [];
    const url = await serveText(() => ({ status: 200, text: renderMetrics(metrics, sourcesAt(0)) }), seen);
    let time = 50_000;
    const source = createMetricsSource({ url, token: "t", env: {}, now: () => time });
    const { signal } = new AbortController();
    const first = await source.read(signal);
    expect(first.total).toMatchObject({ calls: 100, errors: 0, perSecond: 2 });
    expect(first.covers).toBe("up 50 s");
    expect(first.servers).toMatchObject([{ name: "github", state: "open", tools: 3, inFlight: 1, waiting: 2 }]);
    for (let index = 0; index < 10; index += 1) call(3, "error");
    time += 5000;
    const second = await source.read(signal);
    expect(second.total).toMatchObject({ calls: 110, errors: 10, perSecond: 2 });
    expect(second.total.p50Ms).toBeGreaterThan(2500);
    expect(seen).toEqual(["Bearer t", "Bearer t"]);
    await source.close();
  });

  it("starts from zero after the gateway was restarted", async () => {
    let startedAt = 0;
    const metrics = [createMetrics(), createMetrics()];
    metrics[0]?.callBegan();
    metrics[0]?.callEnded({ server: "github", risk: "low", outcome: "ok", seconds: 1 });
    const url = await serveText(() => ({
      status: 200,
      text: renderMetrics(metrics[startedAt === 0 ? 0 : 1]!, sourcesAt(startedAt)),
    }));
    const source = createMetricsSource({ url, token: undefined, env: {}, now: () => 20_000 });
    const { signal } = new AbortController();
    await source.read(signal);
    startedAt = 15_000;
    expect((await source.read(signal)).total).toMatchObject({ calls: 0, perSecond: 0 });
    await source.close();
  });

  it.each([
    [401, "UNAUTHORIZED"],
    [403, "UNAUTHORIZED"],
    [404, "SERVER_CONNECTION_ERROR"],
  ])("turns HTTP %s into %s", async (status, code) => {
    const url = await serveText(() => ({ status, text: "" }));
    const source = createMetricsSource({ url, token: undefined, env: {}, now: Date.now });
    await expect(source.read(new AbortController().signal)).rejects.toMatchObject({ code });
    await source.close();
  });
});

describe("the audit source", () => {
  const NOW = Date.UTC(2026, 0, 1, 12);
  const outcome = (seq: number, agoMs: number, more: object = {}): AuditRecord => {
    const timestamp = new Date(NOW - agoMs).toISOString();
    const facts = { kind: "outcome", tool_id: "github:look", timestamp, duration_ms: 10, outcome: "ok" };
    return { seq, hash: "", body: JSON.stringify({ ...facts, ...more }) };
  };
  const sourceOf = (records: AuditRecord[], now: () => number) =>
    createAuditSource({
      audit: {
        head: async () => ({ seq: records.at(-1)?.seq ?? 0, hash: "" }),
        read: async ({ after = 0, before = Infinity, since = "", limit = 1000, newestFirst }) => {
          const fit = records.filter(
            ({ seq, body }) => seq > after && seq < before && JSON.parse(body).timestamp >= since,
          );
          return (newestFirst ? fit.toReversed() : fit).slice(0, limit);
        },
      },
      now,
      close: async () => undefined,
    });

  it("covers the calls of the last 15 minutes", async () => {
    const records = [
      outcome(1, 1_000_000),
      outcome(2, 60_000, { duration_ms: 100, outcome: "error", error_code: "TOOL_EXECUTION_ERROR" }),
      outcome(3, 5_000),
      outcome(4, 4_000, { tool_id: "made:up", outcome: "error", error_code: "SERVER_NOT_FOUND" }),
      { seq: 5, hash: "", body: JSON.stringify({ timestamp: new Date(NOW).toISOString() }) },
    ];
    const reading = await sourceOf(records, () => NOW).read(new AbortController().signal);
    expect(reading.total).toMatchObject({ calls: 3, errors: 2, perSecond: 0.2, p95Ms: 100 });
    expect(reading.servers).toMatchObject([
      { name: "github", calls: 2, errors: 1, p50Ms: 10, lastAt: NOW - 4_990 },
      { name: "(no such server)", calls: 1, errors: 1 },
    ]);
    expect(reading.gateway).toBeUndefined();
  });

  it("adds new calls, drops old ones, and starts again when the store was replaced", async () => {
    let now = NOW;
    const records = Array.from({ length: 2500 }, (_, index) => outcome(index + 1, 10_000));
    const source = sourceOf(records, () => now);
    const { signal } = new AbortController();
    expect((await source.read(signal)).total.calls).toBe(2500);
    now += 895_000;
    for (let index = 0; index < 1500; index += 1) records.push(outcome(3000 + index, -895_000));
    expect((await source.read(signal)).total.calls).toBe(1500);
    records.splice(0, records.length, outcome(1, -895_000));
    expect((await source.read(signal)).total.calls).toBe(1);
  });
});
