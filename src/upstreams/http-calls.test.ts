import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { type OpenUpstreams, openUpstreams, textOf, toCall } from "../../test/support/upstreams.js";
import type { JsonObject } from "../model/json.js";
import type { UpstreamTarget } from "./types.js";

const opened: OpenUpstreams[] = [];
const listening: Server[] = [];

function open(...args: Parameters<typeof openUpstreams>): OpenUpstreams {
  const upstreams = openUpstreams(...args);
  opened.push(upstreams);
  return upstreams;
}

function target(url: string, kind: "http" | "sse" = "http", headers: Record<string, string> = {}): UpstreamTarget {
  return { name: "remote", connection: () => ({ kind, url, headers }) };
}

async function listen(onRequest: RequestListener): Promise<string> {
  const server = createServer(onRequest);
  listening.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** A minimal legacy server whose `tools/call` is answered by the test. */
function listenForCalls(onCall: (id: number, response: ServerResponse) => void): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const message = await bodyOf(request);
    if (message === undefined) return response.writeHead(405).end();
    const { id, method, params } = message;
    if (method === "tools/call") return onCall(id as number, response);
    if (id === undefined) return response.writeHead(202).end();
    const version = (params as JsonObject)["protocolVersion"];
    const result = {
      protocolVersion: version,
      capabilities: { tools: {} },
      serverInfo: { name: "hand", version: "1" },
    };
    const reply = method === "initialize" ? { result } : { error: { code: -32_601, message: "Method not found" } };
    return response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
  };
  return listen((request, response) => void answer(request, response));
}

async function bodyOf(request: IncomingMessage): Promise<JsonObject | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : (JSON.parse(Buffer.concat(chunks).toString()) as JsonObject);
}

function event(message: JsonObject): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
}

const events = { "content-type": "text/event-stream" };
const result = (text: string): JsonObject => ({ content: [{ type: "text", text }] });

afterEach(async () => {
  await Promise.all(opened.splice(0).map((upstreams) => upstreams.close()));
  for (const server of listening.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe("a call over HTTP", () => {
  it.each<[string, (id: number, response: ServerResponse) => void, object]>([
    [
      "interrupted before the answer",
      (_, response) => response.destroy(),
      { code: "TOOL_EXECUTION_ERROR", executed: "unknown" },
    ],
    [
      "interrupted in the stream",
      (_, response) => {
        response.writeHead(200, events).write(": hello\n\n", () => response.destroy());
      },
      { code: "TOOL_EXECUTION_ERROR", message: "remote closed the connection without an answer.", executed: "unknown" },
    ],
    [
      "whose stream ends without an answer",
      (_, response) => response.writeHead(200, events).end(),
      { code: "TOOL_EXECUTION_ERROR", message: "remote closed the connection without an answer." },
    ],
    [
      "answered with 401",
      (_, response) => response.writeHead(401).end(),
      { code: "UPSTREAM_UNAUTHORIZED", executed: "no" },
    ],
    [
      "answered with 403",
      (_, response) => response.writeHead(403).end(),
      { code: "UPSTREAM_UNAUTHORIZED", executed: "unknown" },
    ],
    [
      "answered with a web page",
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
      { code: "TOOL_EXECUTION_ERROR", executed: "unknown" },
    ],
    [
      "answered with 502",
      (_, response) => response.writeHead(502).end(),
      { code: "TOOL_EXECUTION_ERROR", executed: "unknown" },
    ],
    [
      "answered with a JSON-RPC error",
      (id, response) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_602, message: "No such tool" } })),
      { message: "remote answered with an error: No such tool.", executed: "yes" },
    ],
    [
      "answered with a result and an error",
      (id, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(
          JSON.stringify({
            jsonrpc: "2.0",
            id,
            result: result("x"),
            error: { code: -32_602, message: "No such tool" },
          }),
        ),
      { code: "TOOL_EXECUTION_ERROR" },
    ],
    [
      "that asks for input",
      (id, response) =>
        response.writeHead(200, events).end(event({ id, result: { resultType: "input_required", inputRequests: {} } })),
      { code: "TOOL_EXECUTION_ERROR", facts: { resultType: "input_required" } },
    ],
    [
      "answered with JSON that is too large",
      (id, response) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, result: result("x".repeat(200_000)) })),
      { code: "RESULT_TOO_LARGE" },
    ],
    [
      "answered with JSON that is too large after decompression",
      (id, response) =>
        response
          .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
          .end(gzipSync(JSON.stringify({ jsonrpc: "2.0", id, result: result("x".repeat(5_000_000)) }))),
      { code: "RESULT_TOO_LARGE" },
    ],
    [
      "answered with an event that is too large",
      (id, response) => response.writeHead(200, events).end(event({ id, result: result("x".repeat(200_000)) })),
      { code: "RESULT_TOO_LARGE" },
    ],
    [
      "answered with a multi-line event that is too large",
      (_, response) => void response.writeHead(200, events).write(`data: ${"x".repeat(60_000)}\n`.repeat(4)),
      { code: "TOOL_EXECUTION_ERROR", executed: "unknown" },
    ],
    [
      "answered with an endless event",
      (_, response) => {
        response.writeHead(200, events).write("data: ");
        const more = (): boolean => response.write(Buffer.alloc(65_536, "x"));
        response.on("drain", more);
        more();
      },
      { code: "TOOL_EXECUTION_ERROR", executed: "unknown" },
    ],
    [
      "answered with comments only",
      (_, response) => {
        response.writeHead(200, events);
        const timer = setInterval(() => response.write(": still here\n\n"), 20);
        response.on("close", () => clearInterval(timer));
      },
      { code: "TOOL_EXECUTION_TIMEOUT", executed: "unknown" },
    ],
    ["never answered", () => undefined, { code: "TOOL_EXECUTION_TIMEOUT", executed: "unknown" }],
  ])("%s fails without affecting other calls", async (_name, onCall, expected) => {
    let calls = 0;
    const url = await listenForCalls((id, response) => {
      calls += 1;
      if (calls === 1) onCall(id, response);
      else response.writeHead(200, events).end(event({ id, result: result("fine") }));
    });
    const upstreams = open({ maxMessageBytes: 100_000 });
    const timeoutMs = "code" in expected && expected.code === "TOOL_EXECUTION_TIMEOUT" ? 400 : 10_000;
    await expect(
      upstreams.call(target(url), toCall("x", {}, { timeoutMs, startWaitMs: 10_000 })),
    ).rejects.toMatchObject(expected);
    expect(textOf(await upstreams.call(target(url), toCall("x")))).toBe("fine");
    expect(calls).toBe(2);
    expect(upstreams.states).toEqual(["starting", "open"]);
  });
});
