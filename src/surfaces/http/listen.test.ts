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

it("listens on a port of its own by default, and for no page", () => {
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
