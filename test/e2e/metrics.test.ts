import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Collector, openCollector } from "../support/collector.js";
import { createHome, type Home, testServer } from "../support/gateway.js";
import { type Served, serveGateway } from "../support/served.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const traceparent = `00-${TRACE}-${PARENT}-01`;

let home: Home;
let collector: Collector;
let gateway: Served;
let exit: number | null;
beforeAll(async () => {
  home = createHome({ servers: { echo: testServer("echo.mjs") } });
  collector = await openCollector();
  gateway = await serveGateway(home, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
});
afterAll(() => {
  collector.close();
  home.remove();
});

const rpc = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params });

describe("an observed gateway", () => {
  it("exports metrics to authenticated callers", async () => {
    await gateway.ask("/api/search?q=echo");
    await gateway.ask("/api/adapters/echo/tools/echo", { method: "POST", body: { text: "hi" } });
    await gateway.ask("/api/adapters/echo/tools/absent", { method: "POST", body: {} });
    const answer = await gateway.ask("/metrics");
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await answer.text();
    expect(text).toContain('anygpt_calls_total{server="echo",risk="low",outcome="ok"} 1\n');
    expect(text).toContain('anygpt_call_errors_total{code="TOOL_NOT_FOUND"} 1\n');
    expect(text).toMatch(/^anygpt_listing_tokens_total \d{3,}$/m);
    expect((await gateway.ask("/metrics", { headers: { authorization: "" } })).status).toBe(401);
  });

  it("joins the trace of the traceparent header, over REST and MCP", async () => {
    const headers = { traceparent, accept: "application/json, text/event-stream" };
    await gateway.ask("/api/adapters/echo/tools/meta", { method: "POST", body: {}, headers });
    const initialize = rpc(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    });
    const opened = await gateway.ask("/mcp", { method: "POST", body: initialize, headers });
    const session = { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    const call = rpc(2, "tools/call", {
      name: "execute_tool",
      arguments: { server: "echo", tool: "meta", arguments: {} },
    });
    const answer = await gateway.ask("/mcp", { method: "POST", body: call, headers: session });
    expect(await answer.text()).toContain(TRACE);
  });

  it("logs every call in JSON with the request id that the caller received", async () => {
    const failed = await gateway.ask("/api/adapters/echo/tools/absent", { method: "POST", body: {} });
    const { request_id: id } = (await failed.json()) as { request_id: string };
    expect(gateway.lines).toContainEqual(
      expect.objectContaining({ level: "debug", request_id: id, outcome: "error", code: "TOOL_NOT_FOUND" }),
    );
  });

  it("exits with 0 and exports the remaining traces", async () => {
    exit = await gateway.stop();
    expect(exit).toBe(0);
    const joined = collector.spans.filter((span) => span.traceId === TRACE && span.name === "execute_tool");
    expect(joined.map(({ parentSpanId, facts }) => [parentSpanId, facts["anygpt.surface"]])).toEqual([
      [PARENT, "http"],
      [PARENT, "mcp"],
    ]);
    const servers = collector.spans.filter((span) => span.traceId === TRACE && span.kind === 3);
    expect(servers.map(({ name }) => name)).toEqual(["tools/call meta", "tools/call meta"]);
  });
});
