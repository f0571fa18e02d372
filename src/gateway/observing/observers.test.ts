import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toCall } from "../../../test/support/calls.js";
import { type Collector, openCollector } from "../../../test/support/collector.js";
import { testServer } from "../../../test/support/gateway.js";
import { DiscoveryEngine } from "../../engine.js";
import type { EngineOptions } from "../engine-options.js";
import { createMetrics } from "../../metrics/metrics.js";
import { renderMetrics } from "../../metrics/render-metrics.js";
import { localActor } from "../../model/actor.js";
import { toMetricSources } from "./metric-sources.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const traceparent = `00-${TRACE}-${PARENT}-01`;

let folder: string;
let collector: Collector;
const engines: DiscoveryEngine[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "observing-"));
  collector = await openCollector();
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  collector.close();
  await rm(folder, { recursive: true, force: true });
});

const engineOn = (
  config: ConstructorParameters<typeof DiscoveryEngine>[0],
  options: EngineOptions,
  env: Record<string, string> = {},
) => {
  const engine = new DiscoveryEngine(config, {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, ...env },
    stateFolder: join(folder, "state"),
    ...options,
  });
  engines.push(engine);
  return engine;
};
const ECHO = { servers: { echo: testServer("echo.mjs") } };
const traced = () => engineOn(ECHO, {}, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });

describe("metrics", () => {
  it("count calls and searches", async () => {
    const metrics = createMetrics();
    const engine = engineOn(ECHO, { observe: { metrics } });
    await engine.searchTools("echo a text");
    await engine.searchTools("echo", { server: "absent" }).catch(() => undefined);
    await engine.executeTool("echo", "echo", { text: "hi" });
    await engine.executeTool("echo", "fail", {});
    await engine.executeTool("echo", "nothing_like_it", {});
    await engine.executeTool("made_up_by_the_caller", "x", {});
    const text = renderMetrics(metrics, toMetricSources(await engine.stages()));
    expect(text).toContain('anygpt_calls_total{server="echo",risk="low",outcome="ok"} 1\n');
    expect(text).toContain('anygpt_calls_total{server="echo",risk="low",outcome="tool_error"} 1\n');
    expect(text).toContain('anygpt_call_errors_total{code="TOOL_NOT_FOUND"} 1\n');
    expect(text).toContain('anygpt_call_errors_total{code="SERVER_NOT_FOUND"} 1\n');
    expect(text).not.toContain("made_up");
    expect(text).toContain('anygpt_searches_total{outcome="found"} 1\n');
    expect(text).toContain('anygpt_searches_total{outcome="error"} 1\n');
    expect(text).toContain('anygpt_upstream_state{server="echo",state="open"} 1\n');
    expect(text).toContain('anygpt_tools{server="echo"} 15\n');
    expect(text).toContain("anygpt_calls_in_flight 0\n");
    const tokens = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
    expect(tokens("anygpt_search_tokens_total")).toBeGreaterThan(20);
    expect(tokens("anygpt_listing_tokens_total")).toBeGreaterThan(2 * tokens("anygpt_search_tokens_total"));
  });
});

describe("the log at debug", () => {
  it("has a line for every call and search, without arguments and queries", async () => {
    const lines: { message: string; facts: object | undefined }[] = [];
    const log = (message: string, facts?: object): void => void lines.push({ message, facts });
    const engine = engineOn(ECHO, { log, observe: { logsCalls: true } });
    await engine.searchTools("something private");
    await engine.executeTool("echo", "echo", { text: "private" });
    await engine.executeTool("echo", "absent", {});
    const reported = lines.filter(({ facts }) => facts !== undefined);
    expect(reported.map(({ facts }) => facts)).toMatchObject([
      { level: "debug", hits: expect.any(Number) },
      { level: "debug", tool: "echo:echo", outcome: "ok", surface: "library", request_id: expect.any(String) },
      { level: "debug", outcome: "error", code: "TOOL_NOT_FOUND" },
    ]);
    expect(JSON.stringify(reported)).not.toContain("private");
  });
});

describe("traces", () => {
  it("continue the caller's trace with spans for the policy and the server, and pass it to the server", async () => {
    const engine = traced();
    const { execute } = await engine.known();
    const call = toCall({ server: "echo", tool: "meta", meta: { traceparent } });
    const { content } = await execute({ ...call, requestId: "r1" });
    await engine.close();
    const find = (name: string) => collector.spans.find((span) => span.name === name)!;
    const [whole, policy, upstream] = ["execute_tool", "policy", "tools/call meta"].map(find);
    expect(whole).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: 2, status: {} });
    expect(whole?.facts).toMatchObject({
      "anygpt.request_id": "r1",
      "anygpt.server": "echo",
      "gen_ai.tool.name": "meta",
    });
    expect(policy).toMatchObject({ traceId: TRACE, parentSpanId: whole?.spanId, kind: 1 });
    expect(upstream).toMatchObject({ traceId: TRACE, parentSpanId: whole?.spanId, kind: 3 });
    expect(String(content[0]?.["text"])).toContain(`00-${TRACE}-${upstream?.spanId}-01`);
  });

  it("begin a new trace without a traceparent, and report errors by their code", async () => {
    const engine = traced();
    await engine.executeTool("echo", "echo", {});
    await engine.executeTool("echo", "crash", {});
    await engine.searchTools("echo");
    await engine.close();
    const codes = collector.spans.map(({ name, status }) => [name, status.message]);
    expect(codes).toEqual([
      ["policy", "TOOL_VALIDATION_ERROR"],
      ["execute_tool", "TOOL_VALIDATION_ERROR"],
      ["policy", undefined],
      ["tools/call crash", "TOOL_EXECUTION_ERROR"],
      ["execute_tool", "TOOL_EXECUTION_ERROR"],
      ["search_tools", undefined],
    ]);
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(3);
  });

  it("continue the caller's trace in a search", async () => {
    const engine = traced();
    const { metaTools } = await engine.known();
    const search = metaTools.find(({ name }) => name === "search_tools")!;
    await search.run({ query: "echo" }, { actor: localActor("mcp"), meta: { traceparent } });
    await engine.close();
    expect(collector.spans).toMatchObject([{ name: "search_tools", traceId: TRACE, parentSpanId: PARENT }]);
  });

  it.each([
    ["pass the gateway's traceparent to a REST API if traces are enabled", true],
    ["pass no traceparent to a REST API if traces are disabled", false],
  ])("%s", async (_, isOn) => {
    const received: IncomingHttpHeaders[] = [];
    const api = createServer((request, response) => {
      received.push(request.headers);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    api.listen(0, "127.0.0.1");
    await once(api, "listening");
    const address = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const document = join(folder, "api.json");
    const paths = { "/x": { get: { operationId: "look", responses: { 200: { description: "ok" } } } } };
    await writeFile(document, JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths }));
    const env: Record<string, string> = isOn ? { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } : {};
    const engine = engineOn({ adapters: { api: { document, baseUrl: address } } }, {}, env);
    const { execute } = await engine.known();
    await execute(toCall({ server: "api", tool: "look", meta: { traceparent } }));
    await engine.close();
    api.close();
    const upstream = collector.spans.find(({ kind }) => kind === 3);
    expect(received.at(-1)?.["traceparent"]).toBe(isOn ? `00-${TRACE}-${upstream?.spanId}-01` : undefined);
  });
});

it("forwards the caller's metadata unchanged without observers", async () => {
  const engine = engineOn(ECHO, {});
  const { execute } = await engine.known();
  const call = toCall({ server: "echo", tool: "meta", meta: { traceparent } });
  const { content } = await execute(call);
  expect(String(content[0]?.["text"])).toContain(traceparent);
});

it("lets the configuration enable and disable traces, regardless of environment variables", async () => {
  for (const [traces, env, sent] of [
    [{ endpoint: `${collector.url}/v1/traces` }, {}, true],
    [{ enabled: false }, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, false],
  ] as const) {
    const before = collector.spans.length;
    const engine = engineOn({ ...ECHO, observability: { traces } }, {}, env);
    const { execute } = await engine.known();
    await execute(toCall({ server: "echo", tool: "pid" }));
    await engine.close();
    expect(collector.spans.length > before).toBe(sent);
  }
});
