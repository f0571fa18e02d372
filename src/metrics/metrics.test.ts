import { describe, expect, it } from "vitest";
import { createCounter, createHistogram, OTHERS } from "./instruments.js";
import { createMetrics } from "./metrics.js";
import { type MetricSources, renderMetrics } from "./render-metrics.js";
import { toPrometheusText } from "./to-text.js";

const SOURCES: MetricSources = {
  version: "1.2.3",
  servers: [{ name: "github", state: "open", tools: 3, inFlight: 2, waiting: 1 }],
  cache: { hits: 5, misses: 1 },
  process: { node: "v20.1.0", startedAtMs: 1500, cpuSeconds: 0.25, residentBytes: 1000, heapBytes: 500 },
};

describe("the text format", () => {
  it("writes HELP and TYPE of a family before its samples", () => {
    const calls = createCounter({ name: "calls_total", help: "Calls." });
    calls.add({ server: "a" });
    calls.add({ server: "a" }, 2);
    calls.add({ server: "b" });
    expect(toPrometheusText([calls.family()])).toBe(
      '# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total{server="a"} 3\ncalls_total{server="b"} 1\n',
    );
  });

  it.each([
    ["a quote", 'a"b', String.raw`{x="a\"b"}`],
    ["a backslash", String.raw`a\b`, String.raw`{x="a\\b"}`],
    ["a line break", "a\nb", String.raw`{x="a\nb"}`],
    ["other characters", "ü\t}", '{x="ü\t}"}'],
    ["a lone surrogate", "\ud800", '{x="\ufffd"}'],
    ["nothing", "", ""],
  ])("escapes %s in a label value", (_, value, written) => {
    const one = createCounter({ name: "n", help: "H." });
    one.add({ x: value });
    expect(toPrometheusText([one.family()])).toContain(`n${written} 1\n`);
  });

  it("keeps quotes in a HELP line and escapes line breaks", () => {
    const one = createCounter({ name: "n", help: 'a "b"\n\\c' });
    one.add({});
    expect(toPrometheusText([one.family()])).toContain('# HELP n a "b"\\n\\\\c\n');
  });

  it.each([
    [Infinity, "+Inf"],
    [-Infinity, "-Inf"],
    [Number.NaN, "NaN"],
    [1e21, "1e+21"],
    [0.1, "0.1"],
  ])("writes the number %s as %s", (value, written) => {
    const family = { name: "n", help: "H.", kind: "gauge", samples: [{ suffix: "", labels: {}, value }] } as const;
    expect(toPrometheusText([family])).toContain(`\nn ${written}\n`);
  });

  it("omits a family without samples", () => {
    expect(toPrometheusText([createCounter({ name: "n", help: "H." }).family()])).toBe("");
  });

  it("writes cumulative buckets up to +Inf", () => {
    const one = createHistogram({ name: "h", help: "H." }, [0.1, 1]);
    for (const value of [0.05, 0.1, 0.5, 7]) one.observe({ server: "a" }, value);
    expect(toPrometheusText([one.family()])).toBe(
      [
        "# HELP h H.",
        "# TYPE h histogram",
        'h_bucket{server="a",le="0.1"} 2',
        'h_bucket{server="a",le="1"} 3',
        'h_bucket{server="a",le="+Inf"} 4',
        'h_sum{server="a"} 7.65',
        'h_count{server="a"} 4',
        "",
      ].join("\n"),
    );
  });

  it("counts label values beyond the limit as one series", () => {
    const one = createCounter({ name: "n", help: "H." });
    for (let index = 0; index < 5100; index += 1) one.add({ server: `s${index}`, code: "X" });
    const { samples } = one.family();
    expect(samples).toHaveLength(5001);
    expect(samples.at(-1)).toEqual({ suffix: "", labels: { server: OTHERS, code: "X" }, value: 100 });
  });
});

describe("the metrics", () => {
  it("count calls by server, risk and outcome, and errors by code", () => {
    const metrics = createMetrics();
    metrics.callBegan();
    metrics.callBegan();
    metrics.callBegan();
    metrics.callEnded({ server: "github", risk: "low", outcome: "ok", seconds: 0.02 });
    metrics.callEnded({ server: "", risk: "", outcome: "error", code: "SERVER_NOT_FOUND", seconds: 0.001 });
    const text = renderMetrics(metrics, SOURCES);
    expect(text).toContain('anygpt_calls_total{server="github",risk="low",outcome="ok"} 1\n');
    expect(text).toContain('anygpt_calls_total{outcome="error"} 1\n');
    expect(text).toContain('anygpt_call_errors_total{code="SERVER_NOT_FOUND"} 1\n');
    expect(text).toContain('anygpt_call_duration_seconds_bucket{server="github",le="0.025"} 1\n');
    expect(text).toContain("anygpt_calls_in_flight 1\n");
  });

  it("count searches, and their tokens if they are known", () => {
    const metrics = createMetrics();
    metrics.searchEnded({ outcome: "found", seconds: 0.002, tokens: { answer: 150, listing: 60_000 } });
    metrics.searchEnded({ outcome: "error", seconds: 0.002 });
    const text = renderMetrics(metrics, SOURCES);
    expect(text).toContain('anygpt_searches_total{outcome="found"} 1\n');
    expect(text).toContain("anygpt_search_duration_seconds_count 2\n");
    expect(text).toContain("anygpt_search_tokens_total 150\n");
    expect(text).toContain("anygpt_listing_tokens_total 60000\n");
  });

  it("report current values as gauges", () => {
    const text = renderMetrics(createMetrics(), SOURCES);
    expect(text).toContain('anygpt_upstream_state{server="github",state="open"} 1\n');
    expect(text).toContain('anygpt_upstream_state{server="github",state="failed"} 0\n');
    expect(text).toContain('anygpt_upstream_queue_depth{server="github"} 1\n');
    expect(text).toContain('anygpt_cache_lookups_total{result="hit"} 5\n');
    expect(text).toContain('anygpt_build_info{version="1.2.3",node="v20.1.0"} 1\n');
    expect(text).toContain("process_start_time_seconds 1.5\n");
  });

  it("write only lines that the format allows", () => {
    const metrics = createMetrics();
    metrics.callBegan();
    metrics.callEnded({ server: 'a"b\\\nc', risk: "low", outcome: "ok", seconds: 1 });
    const line =
      /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+\})? [-+.\dInfNae]+)$/;
    const wrong = renderMetrics(metrics, SOURCES)
      .trimEnd()
      .split("\n")
      .filter((one) => !line.test(one));
    expect(wrong).toEqual([]);
  });
});
