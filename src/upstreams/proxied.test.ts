import { afterEach, expect, it } from "vitest";
import { startProxy, type TestProxy, type TestProxyParts } from "../../test/support/proxy.js";
import {
  closeAll,
  type HttpServer,
  openWatched,
  startHttpServer,
  textOf,
  toCall,
} from "../../test/support/upstreams.js";
import type { Connection } from "../model/server.js";

const ending: (() => unknown)[] = [];
afterEach(async () => {
  await closeAll();
  for (const end of ending.splice(0)) await end();
});

async function start(server: string, ...args: string[]): Promise<HttpServer & { named: string }> {
  const started = await startHttpServer(server, ...args);
  ending.push(() => started.stop());
  return { ...started, named: started.origin.replace("127.0.0.1", "mcp.example") };
}

async function proxyWith(parts: TestProxyParts = {}): Promise<TestProxy> {
  const proxy = await startProxy(parts);
  ending.push(() => proxy.stop());
  return proxy;
}

const throughProxy = (address: string) => openWatched({}, { env: { HTTP_PROXY: address } });
const to = (connection: Connection) => ({ name: "remote", connection: () => connection });

it.each([
  ["http.mjs", "both", "http", "/mcp"],
  ["http.mjs", "session", "http", "/mcp"],
  ["legacy-sse.mjs", "", "sse", "/sse"],
  ["legacy-sse.mjs", "", "http", "/sse"],
] as const)("calls a server of %s %s as %s through the proxy", async (file, mode, kind, path) => {
  const [proxy, server] = [await proxyWith({ credentials: "me:s3cret" }), await start(file, mode)];
  const upstreams = throughProxy(`http://me:s3cret@127.0.0.1:${proxy.port}`);
  const target = to({ kind, url: `${server.named}${path}`, headers: {} });
  expect((await upstreams.list(target)).tools.map(({ name }) => name)).toContain("echo");
  expect(textOf(await upstreams.call(target, toCall("echo", { text: "hello" })))).toBe("hello");
  expect(proxy.asked.length).toBeGreaterThan(1);
  expect(proxy.asked.filter((line) => !line.includes(server.named))).toEqual([]);
});

it("does not send what is on this machine to the proxy", async () => {
  const [proxy, server] = [await proxyWith(), await start("http.mjs")];
  const upstreams = throughProxy(`http://127.0.0.1:${proxy.port}`);
  const listing = await upstreams.list(to({ kind: "http", url: `${server.origin}/mcp`, headers: {} }));
  expect([listing.tools.length > 0, proxy.asked]).toEqual([true, []]);
});

it.each([
  ["http://127.0.0.1:PORT", "it wants a user name and a password (HTTP 407)."],
  ["http://127.0.0.1:1", "nothing listens at its address (ECONNREFUSED)."],
])("names the variable when the proxy at %s does not help", async (address, reason) => {
  const [proxy, server] = [await proxyWith({ credentials: "a:b" }), await start("http.mjs")];
  const upstreams = throughProxy(address.replace("PORT", String(proxy.port)));
  const listing = upstreams.list(to({ kind: "http", url: `${server.named}/mcp`, headers: {} }));
  await expect(listing).rejects.toMatchObject({
    code: "SERVER_CONNECTION_ERROR",
    message: expect.stringMatching(/^remote cannot be reached through the proxy 127\.0\.0\.1:\d+ \(HTTP_PROXY\): /),
    hint: expect.stringContaining("HTTP_PROXY"),
  });
  await expect(upstreams.list(to({ kind: "http", url: `${server.named}/mcp`, headers: {} }))).rejects.toMatchObject({
    message: expect.stringContaining(reason),
  });
});

it("names the variable that is no address of a proxy", async () => {
  const upstreams = throughProxy("ftp://proxy.example");
  await expect(upstreams.list(to({ kind: "http", url: "http://mcp.example/mcp", headers: {} }))).rejects.toMatchObject({
    code: "CONFIGURATION_ERROR",
    message: "The environment variable HTTP_PROXY names a ftp proxy, which is not supported.",
  });
});
