import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createExporter } from "./exporter.js";
import { createTracing, openTracing } from "./open-tracing.js";
import { toTraceSettings } from "./settings.js";
import type { FinishedSpan } from "./span.js";
import { parseTraceparent, toTraceparent, traceMeta } from "./trace-context.js";
import { createGuardedFetch } from "../util/net/guarded-fetch.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

describe("a trace context", () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, { traceId: TRACE, spanId: SPAN, isSampled: true }],
    [`00-${TRACE}-${SPAN}-00`, { traceId: TRACE, spanId: SPAN, isSampled: false }],
    [`cc-${TRACE}-${SPAN}-01-what-comes`, { traceId: TRACE, spanId: SPAN, isSampled: true }],
    [`00-${TRACE}-${SPAN}-01-more`, undefined],
    [`ff-${TRACE}-${SPAN}-01`, undefined],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
    [`00-${"0".repeat(32)}-${SPAN}-01`, undefined],
    [`00-${TRACE}-${"0".repeat(16)}-01`, undefined],
    [`00-${TRACE}-${SPAN}-01\nx`, undefined],
    ["", undefined],
    [undefined, undefined],
    [17, undefined],
  ])("parses the traceparent %j", (text, context) => {
    expect(parseTraceparent(text)).toEqual(context);
  });

  it("is written in the format in which it is read", () => {
    const text = `00-${TRACE}-${SPAN}-01`;
    expect(toTraceparent(parseTraceparent(text)!)).toBe(text);
  });

  it("is copied from valid headers into metadata", () => {
    const traceparent = `00-${TRACE}-${SPAN}-01`;
    expect(traceMeta({ traceparent, tracestate: "a=b", cookie: "c" })).toEqual({ traceparent, tracestate: "a=b" });
    expect(traceMeta({ traceparent, tracestate: "a".repeat(513) })).toEqual({ traceparent });
    expect(traceMeta({ traceparent: "nonsense", tracestate: "a=b" })).toBeUndefined();
    expect(traceMeta({})).toBeUndefined();
  });
});

describe("whether and where traces are sent", () => {
  it.each([
    ["nothing is set", {}, undefined, undefined],
    [
      "a general endpoint is set",
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318/" },
      undefined,
      "http://c:4318/v1/traces",
    ],
    ["an endpoint for traces is set", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://c/t" }, undefined, "http://c/t"],
    ["the OTLP exporter is selected", { OTEL_TRACES_EXPORTER: "otlp" }, undefined, "http://localhost:4318/v1/traces"],
    ["another exporter is selected", { OTEL_TRACES_EXPORTER: "zipkin" }, undefined, undefined],
    [
      "no exporter is selected",
      { OTEL_TRACES_EXPORTER: "none", OTEL_EXPORTER_OTLP_ENDPOINT: "http://c" },
      undefined,
      undefined,
    ],
    [
      "the SDK is disabled",
      { OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_ENDPOINT: "http://c" },
      undefined,
      undefined,
    ],
    ["the configuration has an endpoint", {}, { endpoint: "http://d/t" }, "http://d/t"],
    ["the configuration enables traces", {}, { enabled: true }, "http://localhost:4318/v1/traces"],
    ["the configuration disables traces", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c" }, { enabled: false }, undefined],
  ])("when %s", (_, env, options, endpoint) => {
    expect(toTraceSettings(env, options)?.endpoint).toBe(endpoint);
  });

  it("reads headers, service name and sampling ratio from the environment", () => {
    const settings = toTraceSettings({
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x, b = c,junk",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test,service.name=other",
      OTEL_SERVICE_NAME: "mine",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
    });
    expect(settings).toMatchObject({
      headers: { authorization: "Bearer x", b: "c" },
      resource: { "deployment.environment": "test", "service.name": "mine" },
      ratio: 0.25,
    });
  });

  it("rejects an invalid address", () => {
    expect(() => toTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: "file:///etc" })).toThrow(
      /is not a valid http or https URL/,
    );
  });
});

function tracingWith(ratio: number) {
  const spans: FinishedSpan[] = [];
  const settings = { endpoint: "http://localhost/", headers: {}, ratio, resource: {} };
  let time = 0;
  let byte = 0;
  const tracing = createTracing(
    {
      settings,
      now: () => 1000,
      elapsed: () => (time += 1),
      randomBytes: (size) => Buffer.alloc(size, (byte += 1)),
    },
    { add: (span) => void spans.push(span), close: async () => undefined },
  );
  return { spans, tracing };
}

describe("a span", () => {
  it("joins the trace of its parent, and ends once", () => {
    const { spans, tracing } = tracingWith(0);
    const parent = { traceId: TRACE, spanId: SPAN, isSampled: true };
    const span = tracing.begin("work", { kind: "server", parent, attributes: { a: 1 } });
    span.note({ b: true });
    span.end("BROKEN");
    span.end();
    expect(spans).toEqual([
      {
        name: "work",
        kind: "server",
        context: { traceId: TRACE, spanId: "01".repeat(8), isSampled: true },
        parentSpanId: SPAN,
        beganAt: 1001,
        endedAt: 1002,
        attributes: { a: 1, b: true },
        failure: "BROKEN",
      },
    ]);
  });

  it.each([
    [1, 1],
    [0, 0],
  ])("of a trace that begins here is kept by the ratio %s: %s", (ratio, kept) => {
    const { spans, tracing } = tracingWith(ratio);
    tracing.begin("work", { kind: "server" }).end();
    expect(spans).toHaveLength(kept);
  });

  it("is not exported if the caller did not sample the trace, and is still propagated to servers", () => {
    const { spans, tracing } = tracingWith(1);
    const parent = { traceId: TRACE, spanId: SPAN, isSampled: false };
    const span = tracing.begin("work", { kind: "server", parent });
    span.end();
    expect(spans).toEqual([]);
    expect(toTraceparent(span.context)).toBe(`00-${TRACE}-${"01".repeat(8)}-00`);
  });
});

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly spans: { name: string; kind: number; startTimeUnixNano: string; status: object; attributes: object[] }[];
}

/** A collector that answers with the given statuses, one after the other and then 200. */
async function openCollector(statuses: number[] = []) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      const [{ scopeSpans }] = JSON.parse(text).resourceSpans;
      received.push({ headers: request.headers, spans: scopeSpans[0].spans });
      response.writeHead(statuses.shift() ?? 200).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  return { received, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` };
}

function exporterTo(endpoint: string) {
  const log: string[] = [];
  const planned: (() => void)[] = [];
  const guarded = createGuardedFetch({ server: "collector", allowInternal: [new URL(endpoint).origin] });
  const exporter = createExporter({
    endpoint,
    headers: { authorization: "Bearer x" },
    resource: { "service.name": "me" },
    version: "1",
    guarded,
    log: (message) => void log.push(message),
    schedule: (_delay, run) => {
      planned.push(run);
      return () => void planned.splice(planned.indexOf(run) >>> 0, 1);
    },
  });
  return { exporter, log, planned };
}

const span = (name: string): FinishedSpan => ({
  name,
  kind: "client",
  context: { traceId: TRACE, spanId: SPAN, isSampled: true },
  parentSpanId: undefined,
  beganAt: 1_700_000_000_000.25,
  endedAt: 1_700_000_000_001,
  attributes: { text: "a", whole: 3, part: 0.5, flag: true },
  failure: "X",
});

describe("the exporter", () => {
  it("sends OTLP requests with the configured headers", async () => {
    const { received, endpoint } = await openCollector();
    const { exporter } = exporterTo(endpoint);
    exporter.add(span("one"));
    exporter.add(span("two"));
    await exporter.close();
    expect(received).toHaveLength(1);
    expect(received[0]?.headers).toMatchObject({ authorization: "Bearer x", "content-type": "application/json" });
    expect(received[0]?.spans.map(({ name }) => name)).toEqual(["one", "two"]);
    expect(received[0]?.spans[0]).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      name: "one",
      kind: 3,
      startTimeUnixNano: "1700000000000250000",
      endTimeUnixNano: "1700000000001000000",
      attributes: [
        { key: "text", value: { stringValue: "a" } },
        { key: "whole", value: { intValue: "3" } },
        { key: "part", value: { doubleValue: 0.5 } },
        { key: "flag", value: { boolValue: true } },
      ],
      status: { code: 2, message: "X" },
    });
  });

  it("batches spans", async () => {
    const { received, endpoint } = await openCollector();
    const { exporter, planned } = exporterTo(endpoint);
    for (let index = 0; index < 600; index += 1) exporter.add(span(String(index)));
    expect(planned).toHaveLength(1);
    await exporter.close();
    expect(received.map(({ spans }) => spans.length)).toEqual([512, 88]);
  });

  it("retries spans that an overloaded collector rejected, and logs it once", async () => {
    const { received, endpoint } = await openCollector([503, 503]);
    const { exporter, log, planned } = exporterTo(endpoint);
    exporter.add(span("one"));
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect.poll(() => planned.length).toBe(1);
      planned.splice(0)[0]?.();
      await expect.poll(() => received.length).toBe(attempt + 1);
    }
    await exporter.close();
    expect(received.map(({ spans }) => spans[0]?.name)).toEqual(["one", "one", "one"]);
    expect(log).toEqual(["Traces cannot be sent: the collector answered with HTTP status 503."]);
  });

  it("drops spans that the collector rejects", async () => {
    const { received, endpoint } = await openCollector([400]);
    const { exporter, planned } = exporterTo(endpoint);
    exporter.add(span("one"));
    planned.splice(0)[0]?.();
    await expect.poll(() => received.length).toBe(1);
    await exporter.close();
    expect(received).toHaveLength(1);
  });

  it("keeps a bounded number of the newest spans while the collector is unreachable", async () => {
    const { received, endpoint } = await openCollector();
    const { exporter } = exporterTo(endpoint);
    for (let index = 0; index < 5000; index += 1) exporter.add(span(String(index)));
    await exporter.close();
    const names = received.flatMap(({ spans }) => spans.map(({ name }) => name));
    expect(names).toHaveLength(4096);
    expect(names.at(-1)).toBe("4999");
  });

  it("closes although the collector is unreachable", async () => {
    const { exporter, log } = exporterTo("http://127.0.0.1:1/v1/traces");
    exporter.add(span("one"));
    await exporter.close();
    expect(log).toHaveLength(1);
  });
});

it("sends the remaining spans when tracing is closed", async () => {
  const { received, endpoint } = await openCollector();
  const settings = { endpoint, headers: {}, ratio: 1, resource: { "service.name": "me" } };
  const tracing = openTracing({
    settings,
    version: "1",
    env: {},
    now: Date.now,
    elapsed: () => performance.now(),
    randomBytes: (size) => Buffer.alloc(size, 7),
    schedule: () => () => undefined,
    log: () => undefined,
  });
  tracing.begin("work", { kind: "internal" }).end();
  await tracing.close();
  expect(received.flatMap(({ spans }) => spans.map(({ name }) => name))).toEqual(["work"]);
});
