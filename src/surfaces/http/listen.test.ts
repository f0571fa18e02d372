import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { listen } from "./listen.js";
import { httpOptions } from "./options.js";

it("sets the timeouts for headers, requests and idle connections", async () => {
  const { server } = await listen(() => undefined, httpOptions.parse({ port: 0 }));
  const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount } = server;
  expect({ headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount }).toEqual({
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    keepAliveTimeout: 5000,
    maxHeadersCount: 0,
  });
  server.close();
});

it("disconnects a client that does not read an answer, but not one that waits for an answer", async () => {
  const large = Buffer.alloc(32 * 1024 * 1024);
  let disconnected = (): void => undefined;
  const isDisconnected = new Promise<void>((resolve) => (disconnected = resolve));
  const { server, port } = await listen(
    ({ url }, response) => {
      if (url === "/large") response.once("close", disconnected).end(large);
      // Answer the waiting client when the other one has been disconnected.
      else void isDisconnected.then(() => response.end("the answer"));
    },
    httpOptions.parse({ port: 0 }),
    20,
  );
  const ask = (path: string) => {
    const socket = connect(port, "127.0.0.1");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    return socket;
  };
  const waits = text(ask("/small"));
  const stalled = ask("/large").pause();
  await isDisconnected;
  expect(await waits).toContain("the answer");
  const closed = once(
    stalled.on("error", () => undefined),
    "close",
  );
  stalled.resume();
  await closed;
  expect(stalled.bytesRead).toBeLessThan(large.length);
  server.close();
});

it("listens on its default port and allows no origin by default", () => {
  expect(httpOptions.parse({})).toEqual({
    host: "127.0.0.1",
    port: 7332,
    hosts: [],
    proxies: [],
    origins: [],
    tokens: [],
    sessions: { most: 1000, idleMs: 1_800_000 },
    graceMs: 10_000,
  });
});

it.each([
  "*",
  "null",
  "localhost:3000",
  "http://localhost:3000/",
  "http://localhost:80",
  "HTTP://a.example",
  "http://a b",
])("rejects %s as an origin", (origin) => expect(httpOptions.safeParse({ origins: [origin] }).success).toBe(false));
