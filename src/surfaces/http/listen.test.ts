import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { listen } from "./listen.js";
import { httpOptions } from "./options.js";

it("gives a request ten seconds for its head and a minute in all, and no room for more than a head", async () => {
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

it("disconnects a client that reads nothing of an answer, but not one that waits for an answer", async () => {
  const large = Buffer.alloc(32 * 1024 * 1024);
  let left = (): void => undefined;
  const isLeft = new Promise<void>((resolve) => (left = resolve));
  const { server, port } = await listen(
    ({ url }, response) => {
      if (url === "/large") response.once("close", left).end(large);
      // The one that waits is answered when the other has been left.
      else void isLeft.then(() => response.end("at last"));
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
  const stuck = ask("/large").pause();
  await isLeft;
  expect(await waits).toContain("at last");
  const closed = once(
    stuck.on("error", () => undefined),
    "close",
  );
  stuck.resume();
  await closed;
  expect(stuck.bytesRead).toBeLessThan(large.length);
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
])("takes no page that is written %s", (origin) =>
  expect(httpOptions.safeParse({ origins: [origin] }).success).toBe(false),
);
