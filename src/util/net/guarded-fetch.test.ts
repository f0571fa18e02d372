import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { createIssuer, EXPIRED } from "../../../test/rest/certificate.js";
import { json, listen, type Loopback, type Reply, stop } from "../../../test/rest/loopback.js";
import type { DiscoveryError } from "../../errors.js";
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchParts,
  type GuardedRequest,
  type GuardedResponse,
} from "./guarded-fetch.js";
import { toNetworkError } from "./network-error.js";
import { follow } from "./redirect.js";

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

function guard(parts: Partial<GuardedFetchParts>): GuardedFetch {
  const guarded = createGuardedFetch({ server: "api", allowInward: [], ...parts });
  ending.push(() => guarded.close());
  return guarded;
}

async function serve(reply?: Reply): Promise<Loopback> {
  const server = await listen(reply);
  ending.push(() => server.stop());
  return server;
}

/** Answers every connection with these bytes as they are. */
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

/** Of the fetch or of reading what it gives. */
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

describe("redirects", () => {
  const CREDENTIALS = {
    authorization: "Bearer t",
    cookie: "a=b",
    "x-api-key": "k",
    "x-anything": "v",
    accept: "text/plain",
  };

  it("within the place keep what the request carries", async () => {
    const api = await serve((received, response) =>
      received.url === "/a" ? response.writeHead(307, { location: "/b" }).end() : json({})(received, response),
    );
    const guarded = guard({ allowInward: [api.origin] });
    const response = await guarded.fetch(
      ask(`${api.origin}/a`, { method: "POST", headers: CREDENTIALS, body: Buffer.from("x") }),
    );
    expect([response.status, response.url.pathname]).toEqual([200, "/b"]);
    await textOf(response);
    expect(api.received.map(({ method, body }) => `${method} ${body.toString()}`)).toEqual(["POST x", "POST x"]);
    expect(api.received[1]?.headers).toMatchObject(CREDENTIALS);
  });

  it.each([
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [308, "POST", "POST"],
    [307, "DELETE", "DELETE"],
    [301, "GET", "GET"],
    [302, "HEAD", "HEAD"],
  ])("after %i turn %s into %s", async (status, method, then) => {
    const api = await serve((received, response) =>
      received.url === "/a" ? response.writeHead(status, { location: "/b" }).end() : response.end(),
    );
    const body = method === "HEAD" || method === "GET" ? {} : { body: Buffer.from("x") };
    await textOf(await guard({ allowInward: [api.origin] }).fetch(ask(`${api.origin}/a`, { method, ...body })));
    expect(api.received.map((each) => each.method)).toEqual([method, then]);
    expect(api.received[1]?.body.toString()).toBe("body" in body && then === method ? "x" : "");
  });

  it.each(
    ["POST", "PUT", "PATCH", "DELETE"].flatMap((method) => [301, 302].map((status) => [method, status] as const)),
  )("of %s with %i are not followed, and nobody knows whether it ran", async (method, status) => {
    const api = await serve((_, response) => response.writeHead(status, { location: "/" }).end());
    const error = await failureOf(guard({ allowInward: [api.origin] }), ask(api.origin, { method }));
    expect([error.code, error.executed, api.received.length]).toEqual(["TOOL_EXECUTION_ERROR", "unknown", 1]);
  });

  it("of a change with 301 to no address leave open whether it ran", async () => {
    const api = await serve((_, response) => response.writeHead(301, { location: "http://[" }).end());
    const error = await failureOf(guard({ allowInward: [api.origin] }), ask(api.origin, { method: "POST" }));
    expect([error.code, error.executed]).toEqual(["SERVER_CONNECTION_ERROR", "unknown"]);
  });

  it.each([307, 308])("with %i send again once what may change something", async (status) => {
    const api = await serve((_, response) => response.writeHead(status, { location: "/" }).end());
    const error = await failureOf(guard({ allowInward: [api.origin] }), ask(api.origin, { method: "PATCH" }));
    expect([error.code, error.executed, api.received.length]).toEqual(["TOOL_EXECUTION_ERROR", "no", 2]);
  });

  it.each([
    ["POST", 307, "/admin", ["POST /v1/a k"]],
    ["DELETE", 308, "/admin", ["DELETE /v1/a k"]],
    ["GET", 302, "/admin", ["GET /v1/a k", "GET /admin undefined"]],
    ["HEAD", 307, "/admin", ["HEAD /v1/a k", "HEAD /admin undefined"]],
    ["POST", 303, "/admin", ["POST /v1/a k", "GET /admin undefined"]],
    ["POST", 307, "/v1/b", ["POST /v1/a k", "POST /v1/b k"]],
    ["POST", 307, "https://other.example/v1/b", ["POST /v1/a k"]],
  ])("of %s with %i to %s take credentials no further than allowed", async (method, status, location, seen) => {
    const api = await serve((received, response) =>
      received.url === "/v1/a" ? response.writeHead(status, { location }).end() : response.end(),
    );
    const request = ask(`${api.origin}/v1/a`, {
      method,
      headers: { "x-api-key": "k" },
      isWithin: ({ pathname }) => pathname.startsWith("/v1/"),
    });
    const asking = guard({ allowInward: [api.origin] }).fetch(request);
    const ended = asking.then(textOf).catch(({ code }: DiscoveryError) => code);
    expect(await ended).toBe(seen.length === 1 ? "TOOL_EXECUTION_ERROR" : "");
    expect(api.received.map((each) => `${each.method} ${each.url} ${String(each.headers["x-api-key"])}`)).toEqual(seen);
  });

  it("to another place carry no credentials, whatever the header is called", async () => {
    const issuer = createIssuer();
    const seen: Record<string, unknown>[] = [];
    const servers = await Promise.all(
      [0, 1].map(async (index) => {
        const server = createTlsServer(issuer.issue({ dns: ["a.example", "b.example"] }), (request, response) => {
          seen.push({ ...request.headers });
          if (index === 1) response.end("there");
          else response.writeHead(302, { location: `https://b.example:${portOf(servers[1])}/` }).end();
        });
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        ending.push(() => stop(server));
        return server;
      }),
    );
    // Stands for two addresses out in the world: the names are what the guard decides by.
    const lookup = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    const origin = `https://a.example:${portOf(servers[0])}`;
    const other = `https://b.example:${portOf(servers[1])}`;
    const guarded = guard({ allowInward: [origin], lookup, ca: issuer.cert });
    expect((await failureOf(guarded, ask(origin, { headers: CREDENTIALS }))).message).toContain("leads inside");
    expect(seen.length).toBe(1);
    expect(
      follow("api", { url: new URL(origin), method: "GET", headers: CREDENTIALS }, { status: 302, location: other }),
    ).toEqual({
      url: new URL(other),
      method: "GET",
      headers: { accept: "text/plain" },
    });
  });

  it("from https to http are refused", () => {
    const hop = { url: new URL("https://a.example/"), method: "GET", headers: {} };
    const error = follow("api", hop, { status: 302, location: "http://a.example/" });
    expect(error).toMatchObject({ code: "SERVER_CONNECTION_ERROR", message: expect.stringContaining("not encrypted") });
  });

  it.each([
    ["POST", { body: Buffer.from("x") }],
    ["GET", { body: Buffer.from("x") }],
    ["DELETE", {}],
  ])("never send %s with %j to another place", (method, body) => {
    const hop = { url: new URL("https://a.example/"), method, headers: {}, ...body };
    const error = follow("api", hop, { status: 307, location: "https://b.example/" });
    expect(error).toMatchObject({ message: expect.stringContaining("another place") });
  });

  it("are followed five times and not twenty", async () => {
    const api = await serve((received, response) =>
      response.writeHead(302, { location: `/${Number(received.url.slice(1)) + 1}` }).end(),
    );
    const error = await failureOf(guard({ allowInward: [api.origin] }), ask(`${api.origin}/0`));
    expect([error.message, api.received.length]).toEqual(["api is not asked: it redirects more than 5 times.", 6]);
  });

  it("say after 303 that the request was carried out, whatever happens next", async () => {
    const api = await serve((_, response) => response.writeHead(303, { location: "https://127.0.0.1/" }).end());
    const error = await failureOf(guard({ allowInward: [api.origin] }), ask(api.origin, { method: "POST" }));
    expect([error.code, error.executed]).toEqual(["SERVER_CONNECTION_ERROR", "yes"]);
  });

  it("are given back where they are not wanted", async () => {
    const api = await serve((_, response) => response.writeHead(302, { location: "/b" }).end());
    const response = await guard({ allowInward: [api.origin] }).fetch(ask(api.origin, { redirect: "refuse" }));
    expect(response.status).toBe(302);
    await textOf(response);
  });
});

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
    expect(await textOf(await guard({ allowInward: [api.origin] }).fetch(ask(api.origin)))).toBe("hello");
  });

  it.each([
    ["gzip", gzipSync],
    ["br", (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])("stops a bomb of %s at the limit, with little memory", async (encoding, pack) => {
    const api = await serve(packed(encoding, pack(Buffer.alloc(256 * 1024 * 1024))));
    const guarded = guard({ allowInward: [api.origin] });
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

  it("stops a body without end at the limit", async () => {
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
    const error = await failureOf(guard({ allowInward: [api.origin] }), ask(api.origin));
    expect([error.code, error.facts["maxBytes"]]).toEqual(["RESULT_TOO_LARGE", 1024 * 1024]);
  });

  it.each([
    ["zip", Buffer.from("x")],
    ["gzip, gzip", gzipSync(gzipSync("x"))],
    ["gzip", Buffer.from("not packed at all")],
  ])("refuses an answer in %s that it cannot unpack", async (encoding, bytes) => {
    const api = await serve(packed(encoding, bytes));
    const error = await failureOf(guard({ allowInward: [api.origin] }), ask(api.origin));
    expect([error.code, error.executed]).toEqual(["TOOL_EXECUTION_ERROR", "unknown"]);
  });

  it("takes no packed answer where there is none", async () => {
    const api = await serve((_, response) => response.writeHead(204, { "content-encoding": "gzip" }).end());
    expect(await textOf(await guard({ allowInward: [api.origin] }).fetch(ask(api.origin)))).toBe("");
  });
});

describe("time", () => {
  it("ends when no head ever comes, and says that the request was sent", async () => {
    const api = await serve(() => undefined);
    const error = await failureOf(guard({ allowInward: [api.origin] }), ask(api.origin, { timeoutMs: 150 }));
    expect([error.code, error.executed, error.facts["limitMs"]]).toEqual(["TOOL_EXECUTION_TIMEOUT", "unknown", 150]);
  });

  it("ends when a body drips, unless what comes counts", async () => {
    let drips = 0;
    const drip: Reply = (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(String(drips++)), 20);
      response.on("close", () => clearInterval(timer));
    };
    const api = await serve(drip);
    const guarded = guard({ allowInward: [api.origin] });
    expect((await failureOf(guarded, ask(api.origin, { timeoutMs: 200 }))).facts["limitMs"]).toBe(200);
    const response = await guarded.fetch(ask(api.origin, { timeoutMs: 200, maxTotalMs: 600 }));
    const reading = (async () => {
      for await (const _ of response.body) response.heard();
    })();
    await expect(reading).rejects.toMatchObject({ code: "TOOL_EXECUTION_TIMEOUT", facts: { limitMs: 600 } });
  });

  it.each(["before", "while"])("is over when the caller cancels %s it waits", async (when) => {
    const abort = new AbortController();
    const api = await serve(() => abort.abort());
    if (when === "before") abort.abort();
    const error = await failureOf(guard({ allowInward: [api.origin] }), ask(api.origin), abort.signal);
    expect([error.code, error.executed]).toEqual(["CANCELLED", when === "before" ? "no" : "unknown"]);
    expect(api.received.length).toBe(when === "before" ? 0 : 1);
  });
});

describe("broken connections", () => {
  it.each<[string, (socket: Socket) => void, string]>([
    ["a reset before the head", (socket) => socket.resetAndDestroy(), "unknown"],
    ["an end before the head", (socket) => socket.end(), "unknown"],
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
  ])("tell of %s", async (_, answer, executed) => {
    let connections = 0;
    const origin = await serveRaw((socket) => {
      connections += 1;
      socket.once("data", () => answer(socket));
    });
    const error = await failureOf(
      guard({ allowInward: [origin] }),
      ask(origin, { method: "POST", body: Buffer.from("x") }),
    );
    expect([error.code, error.executed, connections]).toEqual(["TOOL_EXECUTION_ERROR", executed, 1]);
  });

  it("tell of a port where nothing listens", async () => {
    const api = await listen();
    await api.stop();
    const error = await failureOf(guard({ allowInward: [api.origin] }), ask(api.origin, { method: "POST" }));
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
    // As Node tells of a name with many addresses.
    const many = Object.assign(new AggregateError([one]), { code });
    expect(toNetworkError("api", many, isSent).executed).toBe(executed);
  });

  it("tell of a name that nobody knows", async () => {
    const lookup = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    const error = await failureOf(guard({ lookup }), ask("https://api.example.com/"));
    expect(error.message).toBe("api cannot be reached: its host name is not known (ENOTFOUND).");
  });

  it("are not shared by requests that must not run twice", async () => {
    const api = await serve();
    const guarded = guard({ allowInward: [api.origin] });
    for (let call = 0; call < 3; call++) await textOf(await guarded.fetch(ask(api.origin, { method: "POST" })));
    expect(api.connections()).toBe(3);
    for (let call = 0; call < 3; call++) await textOf(await guarded.fetch(ask(api.origin)));
    expect(api.connections()).toBe(4);
  });
});

describe("TLS", () => {
  const issuer = createIssuer();

  async function serveTls(certificate: { key: string; cert: string }): Promise<string> {
    const server = createTlsServer(certificate, (_, response) => response.end("safe"));
    server.on("tlsClientError", () => undefined);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ending.push(() => stop(server));
    return `https://127.0.0.1:${portOf(server)}`;
  }

  it("is spoken to whom the authority vouches for", async () => {
    const origin = await serveTls(issuer.issue({ ip: "127.0.0.1" }));
    expect(await textOf(await guard({ allowInward: [origin], ca: issuer.cert }).fetch(ask(origin)))).toBe("safe");
  });

  it.each([
    [
      "an unknown authority",
      issuer.issue({ ip: "127.0.0.1" }),
      createIssuer().cert,
      /cannot be verified|self-signed|not accepted/,
    ],
    ["no authority", createIssuer(), undefined, /self-signed/],
    ["an end in the past", issuer.issue({ ip: "127.0.0.1" }, EXPIRED), issuer.cert, /has expired/],
    ["another host", issuer.issue({ dns: ["other.example"] }), issuer.cert, /another host/],
  ])("is not spoken with a certificate of %s, even if the environment says so", async (_, certificate, ca, message) => {
    const origin = await serveTls(certificate);
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    ending.push(() => delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]);
    const guarded = guard({ allowInward: [origin], ...(ca === undefined ? {} : { ca }) });
    const error = await failureOf(guarded, ask(origin, { method: "POST", body: Buffer.from("secret") }));
    expect([error.code, error.executed]).toEqual(["SERVER_CONNECTION_ERROR", "no"]);
    expect(error.message).toMatch(message);
  });

  it("is not given up for a server that speaks plainly", async () => {
    const api = await serve();
    const origin = api.origin.replace("http:", "https:");
    const error = await failureOf(guard({ allowInward: [origin] }), ask(origin));
    expect([error.code, api.received.length]).toEqual(["SERVER_CONNECTION_ERROR", 0]);
    expect(error.message).toContain("it does not speak TLS");
  });
});

it("asks nobody on the way, whatever the environment says of proxies", async () => {
  const [api, proxy] = [await serve(), await serve()];
  for (const name of ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "NODE_USE_ENV_PROXY"]) {
    process.env[name] = name.startsWith("NODE") ? "1" : proxy.origin;
    ending.push(() => delete process.env[name]);
  }
  await textOf(await guard({ allowInward: [api.origin] }).fetch(ask(api.origin)));
  expect([api.received.length, proxy.connections()]).toEqual([1, 0]);
});

function portOf(server: { address(): unknown } | undefined): number {
  return (server!.address() as AddressInfo).port;
}
