import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../test/support/eventually.js";
import {
  type HttpServer,
  type OpenUpstreams,
  openUpstreams,
  startHttpServer,
  textOf,
  toCall,
} from "../../test/support/upstreams.js";
import type { CallEvent } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import type { Era } from "../model/server.js";
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

/** A legacy server by hand whose `tools/call` is answered by the test. */
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

describe.each([
  ["both", "modern"],
  ["modern", "modern"],
  ["session", "legacy"],
])("a Streamable HTTP server in mode %s", (mode, era) => {
  let server: HttpServer;
  beforeAll(async () => {
    server = await startHttpServer("http.mjs", mode);
  });
  afterAll(() => server.stop());

  it.each([undefined, "modern", "legacy"] as const)(
    "is spoken to in its era when it is remembered as %s",
    async (eraHint) => {
      const upstreams = open();
      const remote = { ...target(`${server.origin}/mcp`), ...(eraHint === undefined ? {} : { eraHint }) };
      const listing = await upstreams.list(remote);
      expect(listing.era).toBe(mode === "both" && eraHint === "legacy" ? "legacy" : era);
      expect(listing.tools.map(({ name }) => name)).toContain("echo");
    },
  );

  it("answers many calls at a time, each with its own result", async () => {
    const upstreams = open();
    const texts = Array.from({ length: 20 }, (_, index) => `marker ${index}`);
    const answers = await Promise.all(
      texts.map((text) => upstreams.call(target(server.origin), toCall("echo", { text }))),
    );
    expect(answers.map(textOf)).toEqual(texts);
  });

  it("gets a new connection after many calls where each leaves something behind, and no call notices", async () => {
    const changed: string[] = [];
    const upstreams = open({}, { mostUses: 5, onListChanged: (name) => void changed.push(name) });
    const call = async (text: string): Promise<string> =>
      textOf(await upstreams.call(target(server.origin), toCall("echo", { text })));
    const texts = Array.from({ length: 12 }, (_, index) => `marker ${index}`);
    const slow = upstreams.call(target(server.origin), toCall("sleep", { ms: 300 }));
    for (const text of texts) expect(await call(text)).toBe(text);
    expect(await Promise.all(texts.map(call))).toEqual(texts);
    expect(textOf(await slow)).toBe("slept 300");
    const starts = upstreams.states.filter((state) => state === "starting");
    const before = upstreams.states.length;
    // A list takes what is there: what listens to the server hangs on it.
    for (let list = 0; list < 12; list += 1) await upstreams.list(target(server.origin));
    expect(upstreams.states).toHaveLength(before);
    expect(starts.length > 2).toBe(era === "modern");
    // What was said between the two connections nobody has heard.
    await eventually(() => changed.length > 0 || era === "legacy");
    expect(changed.length > 0).toBe(era === "modern");
    expect(starts.length === 1).toBe(era === "legacy");
  });

  it("reports progress, which extends the time", async () => {
    const seen: CallEvent[] = [];
    const upstreams = open();
    await upstreams.call(target(server.origin), toCall("pid"));
    const call = toCall(
      "sleep",
      { ms: 900, every: 90 },
      { timeoutMs: 500, onEvent: (happened) => void seen.push(happened) },
    );
    expect(textOf(await upstreams.call(target(server.origin), call))).toBe("slept 900");
    expect(seen).toHaveLength(10);
  });

  it("goes on after a call was cancelled", async () => {
    const upstreams = open();
    await upstreams.call(target(server.origin), toCall("pid"));
    const controller = new AbortController();
    const seen = toCall("sleep", { ms: 60_000, every: 20 }, { onEvent: () => controller.abort() });
    await expect(upstreams.call(target(server.origin), seen, controller.signal)).rejects.toMatchObject({
      code: "CANCELLED",
    });
    expect(textOf(await upstreams.call(target(server.origin), toCall("echo", { text: "on" })))).toBe("on");
    expect(upstreams.states).toEqual(["starting", "open"]);
  });
});

describe("a server that forgot its sessions", () => {
  it("gets one new session for all calls, and each call once", async () => {
    const server = await startHttpServer("http.mjs", "session");
    try {
      const upstreams = open();
      await upstreams.call(target(server.origin), toCall("pid"));
      await fetch(`${server.origin}/sessions`, { method: "DELETE" });
      const texts = Array.from({ length: 10 }, (_, index) => `marker ${index}`);
      const answers = await Promise.all(
        texts.map((text) => upstreams.call(target(server.origin), toCall("echo", { text }))),
      );
      expect(answers.map(textOf)).toEqual(texts);
      expect(upstreams.states).toEqual(["starting", "open", "failed", "starting", "open"]);
    } finally {
      await server.stop();
    }
  });
});

describe("a session that was lost", () => {
  it("is not used by a call that was still being put on record", async () => {
    const server = await startHttpServer("http.mjs", "session");
    try {
      const upstreams = open();
      await upstreams.call(target(server.origin), toCall("pid"));
      await fetch(`${server.origin}/sessions`, { method: "DELETE" });
      const first = upstreams.call(target(server.origin), toCall("echo", { text: "first" }));
      const beforeSend = (): Promise<void> => first.then(() => undefined);
      const second = upstreams.call(target(server.origin), toCall("echo", { text: "second" }, { beforeSend }));
      expect([textOf(await first), textOf(await second)]).toEqual(["first", "second"]);
    } finally {
      await server.stop();
    }
  });
});

describe("a server of the 2024-11-05 revision", () => {
  let server: HttpServer;
  beforeAll(async () => {
    server = await startHttpServer("legacy-sse.mjs");
  });
  afterAll(() => server.stop());

  it.each<["sse" | "http", Era | undefined]>([
    ["sse", undefined],
    ["http", undefined],
    ["http", "legacy"],
  ])("configured as %s and remembered as %s lists and answers", async (kind, eraHint) => {
    const upstreams = open();
    const remote = { ...target(`${server.origin}/sse`, kind), ...(eraHint === undefined ? {} : { eraHint }) };
    expect((await upstreams.list(remote)).tools.map(({ name }) => name)).toEqual(["echo", "big"]);
    expect(textOf(await upstreams.call(remote, toCall("echo", { text: "hi" })))).toBe("hi");
  });

  it("whose answer is too large loses that call only", async () => {
    const upstreams = open({ maxMessageBytes: 100_000 });
    const remote = target(`${server.origin}/sse`, "sse");
    const [big, small] = await Promise.allSettled([
      upstreams.call(remote, toCall("big", { bytes: 1_000_000 })),
      upstreams.call(remote, toCall("echo", { text: "small" })),
    ]);
    expect(big).toMatchObject({ status: "rejected", reason: { code: "RESULT_TOO_LARGE" } });
    expect(small).toMatchObject({ status: "fulfilled" });
    expect(upstreams.states).toEqual(["starting", "open"]);
  });
});

describe("a connection that broke", () => {
  it("fails the calls on an event stream at once; the next call opens a new one", async () => {
    const first = await startHttpServer("legacy-sse.mjs");
    const upstreams = open();
    await upstreams.call(target(`${first.origin}/sse`, "sse"), toCall("echo", { text: "a" }));
    await first.stop();
    const second = await startHttpServer("legacy-sse.mjs");
    try {
      await expect.poll(() => upstreams.state("remote").kind).toBe("failed");
      expect(textOf(await upstreams.call(target(`${second.origin}/sse`, "sse"), toCall("echo", { text: "b" })))).toBe(
        "b",
      );
    } finally {
      await second.stop();
    }
  });
});

describe("a request", () => {
  it("carries the configured headers", async () => {
    let seen: string | undefined;
    const url = await listen((request, response) => {
      seen = request.headers.authorization;
      response.writeHead(500).end();
    });
    await expect(open().list(target(url, "http", { Authorization: "Bearer t-1" }))).rejects.toThrow(
      "remote failed (HTTP 500).",
    );
    expect(seen).toBe("Bearer t-1");
  });

  it.each<[string, RequestListener, object]>([
    [
      "401",
      (_, response) => response.writeHead(401).end(),
      { code: "UPSTREAM_UNAUTHORIZED", message: "remote refused our credentials (HTTP 401)." },
    ],
    ["403", (_, response) => response.writeHead(403).end("secret body"), { code: "UPSTREAM_UNAUTHORIZED" }],
    [
      "500",
      (_, response) => response.writeHead(500).end(),
      { code: "SERVER_CONNECTION_ERROR", message: "remote failed (HTTP 500)." },
    ],
    [
      "404 everywhere",
      (_, response) => response.writeHead(404).end(),
      { code: "SERVER_CONNECTION_ERROR", facts: { status: 404 } },
    ],
    [
      "a redirect elsewhere",
      (_, response) => response.writeHead(307, { location: "http://example.invalid/" }).end(),
      {
        code: "SERVER_CONNECTION_ERROR",
        message: "remote redirects to another place, which is not followed (HTTP 307).",
      },
    ],
    [
      "a web page",
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
      { code: "SERVER_CONNECTION_ERROR" },
    ],
    ["a torn connection", (_, response) => response.destroy(), { code: "SERVER_CONNECTION_ERROR" }],
  ])("answered with %s at the start fails with the reason", async (_name, onRequest, expected) => {
    for (const kind of ["http", "sse"] as const) {
      await expect(open().list(target(await listen(onRequest), kind))).rejects.toMatchObject({
        executed: "no",
        ...expected,
      });
    }
  });

  it.each([
    [
      "the host is unknown",
      "http://nowhere.invalid/mcp",
      expect.stringContaining("remote cannot be reached: its host name") as string,
    ],
    ["the url is none", "not a url", "The url of remote is not an http or https address."],
    ["the url is a file", "file:///etc/passwd", "The url of remote is not an http or https address."],
  ])("fails with the reason when %s", async (_name, url, message) => {
    await expect(open().list(target(url))).rejects.toMatchObject({ message });
    await expect(open().list(target(url, "sse"))).rejects.toMatchObject({ message });
  });

  it.each(["http", "sse"] as const)("by %s fails with the reason when nothing listens", async (kind) => {
    const url = await listen(() => undefined);
    listening.pop()?.close();
    await expect(open().list(target(url, kind))).rejects.toMatchObject({
      code: "SERVER_CONNECTION_ERROR",
      message: "remote cannot be reached: nothing listens at its address (ECONNREFUSED).",
    });
  });

  it("to something that does not speak TLS fails with the reason", async () => {
    const url = await listen((_, response) => response.end());
    await expect(open().list(target(url.replace("http:", "https:")))).rejects.toMatchObject({
      message: "remote cannot be reached: it does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER).",
    });
  });
});

describe("a call over HTTP", () => {
  it.each<[string, (id: number, response: ServerResponse) => void, object]>([
    [
      "torn off before the answer",
      (_, response) => response.destroy(),
      { code: "TOOL_EXECUTION_ERROR", executed: "unknown" },
    ],
    [
      "torn off in the stream",
      (_, response) => {
        response.writeHead(200, events).write(": hello\n\n", () => response.destroy());
      },
      { code: "TOOL_EXECUTION_ERROR", message: "remote ended the connection without an answer.", executed: "unknown" },
    ],
    [
      "whose stream ends without an answer",
      (_, response) => response.writeHead(200, events).end(),
      { code: "TOOL_EXECUTION_ERROR", message: "remote ended the connection without an answer." },
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
      "answered with too much JSON",
      (id, response) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, result: result("x".repeat(200_000)) })),
      { code: "RESULT_TOO_LARGE" },
    ],
    [
      "answered with JSON that unpacks to too much",
      (id, response) =>
        response
          .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
          .end(gzipSync(JSON.stringify({ jsonrpc: "2.0", id, result: result("x".repeat(5_000_000)) }))),
      { code: "RESULT_TOO_LARGE" },
    ],
    [
      "answered with too large an event",
      (id, response) => response.writeHead(200, events).end(event({ id, result: result("x".repeat(200_000)) })),
      { code: "RESULT_TOO_LARGE" },
    ],
    [
      "answered with too large an event in many lines",
      (_, response) => void response.writeHead(200, events).write(`data: ${"x".repeat(60_000)}\n`.repeat(4)),
      { code: "TOOL_EXECUTION_ERROR", executed: "unknown" },
    ],
    [
      "answered with an event without end",
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
  ])("%s fails alone", async (_name, onCall, expected) => {
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
