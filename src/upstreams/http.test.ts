import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
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
    "is used in its era when it is remembered as %s",
    async (eraHint) => {
      const upstreams = open();
      const remote = { ...target(`${server.origin}/mcp`), ...(eraHint === undefined ? {} : { eraHint }) };
      const listing = await upstreams.list(remote);
      expect(listing.era).toBe(mode === "both" && eraHint === "legacy" ? "legacy" : era);
      expect(listing.tools.map(({ name }) => name)).toContain("echo");
    },
  );

  it("answers many concurrent calls, each with its own result", async () => {
    const upstreams = open();
    const texts = Array.from({ length: 20 }, (_, index) => `marker ${index}`);
    const answers = await Promise.all(
      texts.map((text) => upstreams.call(target(server.origin), toCall("echo", { text }))),
    );
    expect(answers.map(textOf)).toEqual(texts);
  });

  it("gets a new connection after many calls that leak memory, without any failed call", async () => {
    const changed: string[] = [];
    const upstreams = open({}, { maxUses: 5, onListChanged: (name) => void changed.push(name) });
    const call = async (text: string): Promise<string> =>
      textOf(await upstreams.call(target(server.origin), toCall("echo", { text })));
    const texts = Array.from({ length: 12 }, (_, index) => `marker ${index}`);
    const slow = upstreams.call(target(server.origin), toCall("sleep", { ms: 300 }));
    for (const text of texts) expect(await call(text)).toBe(text);
    expect(await Promise.all(texts.map(call))).toEqual(texts);
    expect(textOf(await slow)).toBe("slept 300");
    const starts = upstreams.states.filter((state) => state === "starting");
    const before = upstreams.states.length;
    // A list keeps the connection, because its notification stream depends on it.
    for (let list = 0; list < 12; list += 1) await upstreams.list(target(server.origin));
    expect(upstreams.states).toHaveLength(before);
    expect(starts.length > 2).toBe(era === "modern");
    // Notifications between the two connections are lost, so changes are assumed.
    await eventually(() => changed.length > 0 || era === "legacy");
    expect(changed.length > 0).toBe(era === "modern");
    expect(starts.length === 1).toBe(era === "legacy");
  });

  it("reports progress, which restarts the idle timeout", async () => {
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

  it("continues after a call was cancelled", async () => {
    const upstreams = open();
    await upstreams.call(target(server.origin), toCall("pid"));
    const controller = new AbortController();
    const { signal } = controller;
    const seen = toCall("sleep", { ms: 60_000, every: 20 }, { onEvent: () => controller.abort(), signal });
    await expect(upstreams.call(target(server.origin), seen)).rejects.toMatchObject({
      code: "CANCELLED",
    });
    expect(textOf(await upstreams.call(target(server.origin), toCall("echo", { text: "on" })))).toBe("on");
    expect(upstreams.states).toEqual(["starting", "open"]);
  });
});

describe("a server that has dropped its sessions", () => {
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
  it("is not used by a call that was still in beforeSend", async () => {
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

describe("a server of MCP 2024-11-05", () => {
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

  it("whose answer is too large fails that call only", async () => {
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

describe("a broken connection", () => {
  it("fails the calls on an event stream immediately, and the next call opens a new one", async () => {
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
      { code: "UPSTREAM_UNAUTHORIZED", message: "remote rejected the credentials (HTTP 401)." },
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
      "a redirect to another URL",
      (_, response) => response.writeHead(307, { location: "http://example.invalid/" }).end(),
      {
        code: "SERVER_CONNECTION_ERROR",
        message: "remote redirects to another address, which the gateway does not follow (HTTP 307).",
      },
    ],
    [
      "a web page",
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
      { code: "SERVER_CONNECTION_ERROR" },
    ],
    ["an interrupted connection", (_, response) => response.destroy(), { code: "SERVER_CONNECTION_ERROR" }],
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
    ["the url is invalid", "not a url", "The url of remote is not an http or https URL."],
    ["the url is a file", "file:///etc/passwd", "The url of remote is not an http or https URL."],
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

  it("to a server that does not use TLS fails with the reason", async () => {
    const url = await listen((_, response) => response.end());
    await expect(open().list(target(url.replace("http:", "https:")))).rejects.toMatchObject({
      message: "remote cannot be reached: it does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER).",
    });
  });
});
