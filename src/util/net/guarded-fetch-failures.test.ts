import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { listen, type Loopback, type Reply } from "../../../test/rest/loopback.js";
import type { DiscoveryError } from "../../errors.js";
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchParts,
  type GuardedRequest,
  type GuardedResponse,
} from "./guarded-fetch.js";
import { toNetworkError } from "./network-error.js";

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

function guard(parts: Partial<GuardedFetchParts>): GuardedFetch {
  const guarded = createGuardedFetch({ server: "api", allowInternal: [], ...parts });
  ending.push(() => guarded.close());
  return guarded;
}

async function serve(reply?: Reply): Promise<Loopback> {
  const server = await listen(reply);
  ending.push(() => server.stop());
  return server;
}

/** Passes every connection to the function, without HTTP. */
async function serveRaw(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ending.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function ask(url: string, extra: Partial<GuardedRequest> = {}): GuardedRequest {
  return {
    url: new URL(url),
    method: "GET",
    headers: {},
    timeoutMs: 5_000,
    maxTotalMs: 5_000,
    maxBytes: 1024 * 1024,
    redirect: "follow",
    ...extra,
  };
}

async function textOf({ body }: GuardedResponse): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Returns the error of the fetch or of reading its body. */
async function failureOf(
  guarded: GuardedFetch,
  request: GuardedRequest,
  signal?: AbortSignal,
): Promise<DiscoveryError> {
  try {
    await textOf(await guarded.fetch(request, signal));
  } catch (error) {
    return error as DiscoveryError;
  }
  throw new Error("It did not fail.");
}

describe("sizes", () => {
  const packed =
    (encoding: string, bytes: Buffer): Reply =>
    (_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(bytes);

  it.each([
    ["gzip", gzipSync("hello")],
    ["br", brotliCompressSync("hello")],
    ["deflate", deflateSync("hello")],
    ["identity", Buffer.from("hello")],
  ])("unpacks %s", async (encoding, bytes) => {
    const api = await serve(packed(encoding, bytes));
    expect(await textOf(await guard({ allowInternal: [api.origin] }).fetch(ask(api.origin)))).toBe("hello");
  });

  it.each([
    ["gzip", gzipSync],
    ["br", (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])("stops a decompression bomb in %s at the limit, with little memory", async (encoding, pack) => {
    const api = await serve(packed(encoding, pack(Buffer.alloc(256 * 1024 * 1024))));
    const guarded = guard({ allowInternal: [api.origin] });
    const before = process.memoryUsage().rss;
    const response = await guarded.fetch(ask(api.origin));
    let bytes = 0;
    const reading = (async () => {
      for await (const chunk of response.body) bytes += chunk.byteLength;
    })();
    await expect(reading).rejects.toMatchObject({ code: "RESULT_TOO_LARGE" });
    expect(bytes).toBeLessThanOrEqual(1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024);
  });

  it("stops an endless body at the limit", async () => {
    const api = await serve((_, response) => {
      const endless = Readable.from(
        (function* () {
          for (;;) yield Buffer.alloc(64 * 1024);
        })(),
      );
      endless.on("error", () => undefined);
      response.on("close", () => endless.destroy());
      endless.pipe(response);
    });
    const error = await failureOf(guard({ allowInternal: [api.origin] }), ask(api.origin));
    expect([error.code, error.facts["maxBytes"]]).toEqual(["RESULT_TOO_LARGE", 1024 * 1024]);
  });

  it.each([
    ["zip", Buffer.from("x")],
    ["gzip, gzip", gzipSync(gzipSync("x"))],
    ["gzip", Buffer.from("not packed at all")],
  ])("rejects a response in %s that it cannot decompress", async (encoding, bytes) => {
    const api = await serve(packed(encoding, bytes));
    const error = await failureOf(guard({ allowInternal: [api.origin] }), ask(api.origin));
    expect([error.code, error.executed]).toEqual(["TOOL_EXECUTION_ERROR", "unknown"]);
  });

  it("accepts an encoding header on a response without a body", async () => {
    const api = await serve((_, response) => response.writeHead(204, { "content-encoding": "gzip" }).end());
    expect(await textOf(await guard({ allowInternal: [api.origin] }).fetch(ask(api.origin)))).toBe("");
  });
});

describe("time", () => {
  it("runs out if no response headers arrive, and reports that the request was sent", async () => {
    const api = await serve(() => undefined);
    const error = await failureOf(guard({ allowInternal: [api.origin] }), ask(api.origin, { timeoutMs: 150 }));
    expect([error.code, error.executed, error.facts["limitMs"]]).toEqual(["TOOL_EXECUTION_TIMEOUT", "unknown", 150]);
  });

  it("runs out while a body arrives slowly, unless the caller reports activity", async () => {
    let drips = 0;
    const drip: Reply = (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(String(drips++)), 20);
      response.on("close", () => clearInterval(timer));
    };
    const api = await serve(drip);
    const guarded = guard({ allowInternal: [api.origin] });
    expect((await failureOf(guarded, ask(api.origin, { timeoutMs: 200 }))).facts["limitMs"]).toBe(200);
    const response = await guarded.fetch(ask(api.origin, { timeoutMs: 200, maxTotalMs: 600 }));
    const reading = (async () => {
      for await (const _ of response.body) response.reportActivity();
    })();
    await expect(reading).rejects.toMatchObject({ code: "TOOL_EXECUTION_TIMEOUT", facts: { limitMs: 600 } });
  });

  it.each(["before", "while"])("ends when the caller cancels %s it waits", async (when) => {
    const abort = new AbortController();
    const api = await serve(() => abort.abort());
    if (when === "before") abort.abort();
    const error = await failureOf(guard({ allowInternal: [api.origin] }), ask(api.origin), abort.signal);
    expect([error.code, error.executed]).toEqual(["CANCELLED", when === "before" ? "no" : "unknown"]);
    expect(api.received.length).toBe(when === "before" ? 0 : 1);
  });
});

describe("broken connections", () => {
  it.each<[string, (socket: Socket) => void, string]>([
    ["a reset before the response headers", (socket) => socket.resetAndDestroy(), "unknown"],
    ["an end before the response headers", (socket) => socket.end(), "unknown"],
    [
      "an end in the middle of the body",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc"),
      "unknown",
    ],
    [
      "an end in the middle of a chunk",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nabc"),
      "unknown",
    ],
    ["something that is not HTTP", (socket) => socket.end("220 smtp.example ready\r\n"), "unknown"],
    [
      "a change of protocol",
      (socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
      "unknown",
    ],
  ])("report %s", async (_, answer, executed) => {
    let connections = 0;
    const origin = await serveRaw((socket) => {
      connections += 1;
      socket.once("data", () => answer(socket));
    });
    const error = await failureOf(
      guard({ allowInternal: [origin] }),
      ask(origin, { method: "POST", body: Buffer.from("x") }),
    );
    expect([error.code, error.executed, connections]).toEqual(["TOOL_EXECUTION_ERROR", executed, 1]);
  });

  it("report a port where nothing listens", async () => {
    const api = await listen();
    await api.stop();
    const error = await failureOf(guard({ allowInternal: [api.origin] }), ask(api.origin, { method: "POST" }));
    expect([error.code, error.executed, error.facts["error"]]).toEqual([
      "SERVER_CONNECTION_ERROR",
      "no",
      "ECONNREFUSED",
    ]);
  });

  it.each([
    ["EHOSTUNREACH", "connect", true, "no"],
    ["ENETUNREACH", "connect", true, "no"],
    ["EHOSTUNREACH", "read", true, "unknown"],
    ["ENETUNREACH", "write", true, "unknown"],
    ["EHOSTUNREACH", undefined, false, "no"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", undefined, true, "unknown"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", undefined, false, "no"],
    ["ECONNREFUSED", "connect", true, "no"],
  ])("with %s of %s, sent: %s, have run the call: %s", (code, syscall, isSent, executed) => {
    const one = Object.assign(new Error("x"), { code, syscall });
    expect(toNetworkError("api", one, isSent).executed).toBe(executed);
    // Node reports a host name with several addresses like this.
    const many = Object.assign(new AggregateError([one]), { code });
    expect(toNetworkError("api", many, isSent).executed).toBe(executed);
  });

  it("report an unknown host name", async () => {
    const lookup = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    const error = await failureOf(guard({ lookup }), ask("https://api.example.com/"));
    expect(error.message).toBe("api cannot be reached: its host name is not known (ENOTFOUND).");
  });

  it("are not shared by requests that must not run twice", async () => {
    const api = await serve();
    const guarded = guard({ allowInternal: [api.origin] });
    for (let call = 0; call < 3; call++) await textOf(await guarded.fetch(ask(api.origin, { method: "POST" })));
    expect(api.connections()).toBe(3);
    for (let call = 0; call < 3; call++) await textOf(await guarded.fetch(ask(api.origin)));
    expect(api.connections()).toBe(4);
  });
});
