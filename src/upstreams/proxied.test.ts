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
import { listen } from "../../test/rest/loopback.js";
import { open, toCall as toRestCall, toOperation } from "../../test/rest/session.js";
import { openSignInPlace } from "../../test/support/sign-in.js";
import type { JsonObject } from "../model/json.js";
import type { ServerConnection } from "../model/server.js";
import { createAuthFetch } from "./oauth/auth-fetch.js";

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
const to = (connection: ServerConnection) => ({ name: "remote", connection: () => connection });

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

it("does not send requests for this machine through the proxy", async () => {
  const [proxy, server] = [await proxyWith(), await start("http.mjs")];
  const upstreams = throughProxy(`http://127.0.0.1:${proxy.port}`);
  const listing = await upstreams.list(to({ kind: "http", url: `${server.origin}/mcp`, headers: {} }));
  expect([listing.tools.length > 0, proxy.asked]).toEqual([true, []]);
});

it.each([
  ["http://127.0.0.1:PORT", "it requires a user name and a password (HTTP 407)."],
  ["http://127.0.0.1:1", "nothing listens at its address (ECONNREFUSED)."],
])("names the variable when the proxy at %s fails", async (address, reason) => {
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

it("names the variable with an invalid proxy URL", async () => {
  const upstreams = throughProxy("ftp://proxy.example");
  await expect(upstreams.list(to({ kind: "http", url: "http://mcp.example/mcp", headers: {} }))).rejects.toMatchObject({
    code: "CONFIGURATION_ERROR",
    message: "The environment variable HTTP_PROXY names a ftp proxy, which is not supported.",
  });
});

it("fetches the document of a REST API and calls it through the proxy", async () => {
  const proxy = await proxyWith();
  const api = await listen((_received, response) => response.writeHead(200).end("{}"));
  ending.push(() => api.stop());
  const named = api.origin.replace("127.0.0.1", "api.example");
  const session = await open(
    { document: `${named}/openapi.json`, baseUrl: `${named}/v1` },
    { env: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` } },
  );
  ending.push(() => session.close());
  await session.listTools();
  await session.callTool(toRestCall(toOperation()));
  expect(proxy.asked).toEqual([`GET ${named}/openapi.json`, `GET ${named}/v1/items`]);
});

it("signs in with OAuth through the proxy", async () => {
  const proxy = await proxyWith();
  const rename = (value: JsonObject, host: string): JsonObject =>
    JSON.parse(JSON.stringify(value).replaceAll("127.0.0.1", host)) as JsonObject;
  const place = await openSignInPlace({ metadata: (honest) => rename(honest, "auth.example") });
  ending.push(() => place.close());
  const issuer = place.authorization.issuer.replace("127.0.0.1", "auth.example");
  const url = place.server.url.replace("127.0.0.1", "mcp.example");
  place.server.description = () => ({ resource: url, authorization_servers: [issuer] });
  place.server.challenge = (honest) => honest.replace("127.0.0.1", "mcp.example");
  const connection = { ...place.connection, url, oauth: { issuer } };
  const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  const guarded = createAuthFetch({ server: "remote", connection, env });
  const login = await place.begin({ connection, guarded });
  const { searchParams } = await place.authorization.approve(login.url.href.replace("auth.example", "127.0.0.1"));
  const credential = await login.finish(searchParams, new AbortController().signal);
  expect(place.authorization.fault(credential.accessToken, url)).toBeUndefined();
  expect(proxy.asked).toEqual(
    expect.arrayContaining([`POST ${url}`, `POST ${issuer}/register`, `POST ${issuer}/token`]),
  );
});
