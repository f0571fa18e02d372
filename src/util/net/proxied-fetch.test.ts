import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createTlsServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createIssuer } from "../../../test/rest/certificate.js";
import { json, listen, stop } from "../../../test/rest/loopback.js";
import { startProxy, type TestProxy, type TestProxyParts } from "../../../test/support/proxy.js";
import type { DiscoveryError } from "../../errors.js";
import { createGuardedFetch, type GuardedRequest } from "./guarded-fetch.js";

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

const issuer = createIssuer();

async function proxyWith(parts: TestProxyParts = {}): Promise<TestProxy> {
  const proxy = await startProxy(parts);
  ending.push(() => proxy.stop());
  return proxy;
}

/** Answers over https as `api.example`, and records the request headers. */
async function serveTls(): Promise<{ url: string; port: number; headers: Record<string, unknown>[] }> {
  const headers: Record<string, unknown>[] = [];
  const server: Server = createTlsServer(issuer.issue({ dns: ["api.example"] }), (request, response) => {
    headers.push({ ...request.headers });
    response.end(`${request.method} ${request.url}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ending.push(() => stop(server));
  const { port } = server.address() as AddressInfo;
  return { url: `https://api.example:${port}`, port, headers };
}

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "authorities-"));
  ending.push(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

interface Asking extends Partial<Omit<GuardedRequest, "url">> {
  readonly env: Record<string, string>;
  readonly allowInternal?: readonly string[];
  readonly ca?: string;
}

async function ask(url: string, { env, allowInternal = [], ca, ...request }: Asking): Promise<string> {
  // Names in the test do not resolve, unless the proxy resolves them.
  const lookup = () => Promise.reject(Object.assign(new Error("not found"), { code: "ENOTFOUND" }));
  const guarded = createGuardedFetch({
    server: "api",
    allowInternal,
    env,
    lookup,
    ...(ca === undefined ? {} : { ca }),
  });
  ending.push(() => guarded.close());
  const limits = { timeoutMs: 10_000, maxTotalMs: 10_000, maxBytes: 1024 * 1024 };
  const whole = { method: "GET", headers: {}, redirect: "follow", ...limits, ...request } as const;
  const { body } = await guarded.fetch({ ...whole, url: new URL(url) });
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const failureOf = (asking: Promise<string>): Promise<DiscoveryError> =>
  asking.then(
    (text) => expect.unreachable(text),
    (error: DiscoveryError) => error,
  );

describe("https through a proxy", () => {
  it.each(["GET", "POST"])("sends %s inside a tunnel, of which the proxy sees only host and port", async (method) => {
    const [proxy, api] = [await proxyWith({ credentials: "me:s3cret" }), await serveTls()];
    const env = { HTTPS_PROXY: `http://me:s3cret@127.0.0.1:${proxy.port}` };
    expect(await ask(`${api.url}/a?b=c`, { env, ca: issuer.cert, method })).toBe(`${method} /a?b=c`);
    expect(proxy.asked).toEqual([`CONNECT api.example:${api.port}`]);
    expect(api.headers[0]).not.toHaveProperty("proxy-authorization");
  });

  it("reuses a tunnel for safe methods", async () => {
    const [proxy, api] = [await proxyWith(), await serveTls()];
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const guarded = createGuardedFetch({ server: "api", allowInternal: [], env, ca: issuer.cert });
    ending.push(() => guarded.close());
    const limits = { timeoutMs: 10_000, maxTotalMs: 10_000, maxBytes: 1024 };
    for (const path of ["/1", "/2"]) {
      const url = new URL(path, api.url);
      const { body } = await guarded.fetch({ url, method: "GET", headers: {}, redirect: "refuse", ...limits });
      for await (const _ of body);
      await new Promise(setImmediate);
    }
    expect([api.headers.length, proxy.asked.length]).toEqual([2, 1]);
  });

  it("connects to the proxy over https if its address says https", async () => {
    const proxy = await proxyWith({ certificate: issuer.issue({ ip: "127.0.0.1" }) });
    const api = await serveTls();
    const env = { https_proxy: `https://127.0.0.1:${proxy.port}` };
    expect(await ask(api.url, { env, ca: issuer.cert })).toBe("GET /");
    expect(proxy.asked).toEqual([`CONNECT api.example:${api.port}`]);
  });

  it("checks the certificate of the server behind the proxy", async () => {
    const [proxy, api] = [await proxyWith(), await serveTls()];
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const other = await failureOf(ask(`https://other.example:${api.port}`, { env, ca: issuer.cert }));
    expect([other.code, other.facts["error"]]).toEqual(["SERVER_CONNECTION_ERROR", "ERR_TLS_CERT_ALTNAME_INVALID"]);
    const unknown = await failureOf(ask(api.url, { env }));
    expect([unknown.code, unknown.executed, api.headers.length]).toEqual(["SERVER_CONNECTION_ERROR", "no", 0]);
    expect(unknown.hint).toContain("NODE_EXTRA_CA_CERTS");
  });

  it.each([
    ["https://127.0.0.1:1/", "is an address of this machine"],
    ["https://10.0.0.1/", "is an address of this machine"],
    ["https://[::1]/", "is an address of this machine"],
    ["http://api.example/", "not encrypted"],
  ])("still rejects %s if it is not configured", async (url, reason) => {
    const proxy = await proxyWith();
    const address = `http://127.0.0.1:${proxy.port}`;
    const error = await failureOf(ask(url, { env: { HTTPS_PROXY: address, HTTP_PROXY: address } }));
    expect([error.message.includes(reason), proxy.asked]).toEqual([true, []]);
  });
});

describe("http through a proxy", () => {
  it("sends the absolute URL to the proxy", async () => {
    const [proxy, api] = [await proxyWith({ credentials: "me:s3cret" }), await listen(json({ a: 1 }))];
    ending.push(() => api.stop());
    const origin = `http://intranet.example:${api.port}`;
    const env = { http_proxy: `http://me:s3cret@127.0.0.1:${proxy.port}` };
    const body = Buffer.from("x");
    expect(await ask(`${origin}/a?b=c#d`, { env, allowInternal: [origin], method: "POST", body })).toBe('{"a":1}');
    expect(proxy.asked).toEqual([`POST ${origin}/a?b=c`]);
    expect(api.received[0]).toMatchObject({ url: "/a?b=c", headers: { host: `intranet.example:${api.port}` } });
    expect(api.received[0]?.body.toString()).toBe("x");
  });

  it("connects to the proxy over https if its address says https", async () => {
    const proxy = await proxyWith({ certificate: issuer.issue({ ip: "127.0.0.1" }) });
    const api = await listen(json({ a: 1 }));
    ending.push(() => api.stop());
    const origin = `http://intranet.example:${api.port}`;
    const env = { http_proxy: `https://127.0.0.1:${proxy.port}` };
    expect(await ask(origin, { env, allowInternal: [origin], ca: issuer.cert })).toBe('{"a":1}');
    expect(proxy.asked).toEqual([`GET ${origin}/`]);
  });

  it("connects directly to this machine and to hosts in NO_PROXY", async () => {
    const [proxy, api] = [await proxyWith(), await listen(json({ a: 1 }))];
    ending.push(() => api.stop());
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: ".example" };
    expect(await ask(api.origin, { env, allowInternal: [api.origin] })).toBe('{"a":1}');
    const origin = `http://intranet.example:${api.port}`;
    const error = await failureOf(ask(origin, { env, allowInternal: [origin] }));
    expect([error.facts["error"], proxy.asked]).toEqual(["ENOTFOUND", []]);
  });
});

describe("errors of a proxy", () => {
  const MESSAGES = [
    ["https", "http://127.0.0.1:PORT", {}, "it requires a user name and a password (HTTP 407)"],
    ["http", "http://127.0.0.1:PORT", {}, "it requires a user name and a password (HTTP 407)"],
    ["https", "http://me:wrong@127.0.0.1:PORT", {}, "it does not accept the user name and the password (HTTP 407)"],
    ["https", "http://me:s3cret@127.0.0.1:PORT", { refuses: 403 }, "it refused the connection (HTTP 403)"],
    ["https", "http://127.0.0.1:1", {}, "nothing listens at its address (ECONNREFUSED)"],
    ["http", "http://127.0.0.1:1", {}, "nothing listens at its address (ECONNREFUSED)"],
  ] as const;

  it.each(MESSAGES)("for %s at %s with %j: %s", async (scheme, address, parts, reason) => {
    const proxy = await proxyWith({ credentials: "me:s3cret", ...parts });
    const variable = scheme === "https" ? "HTTPS_PROXY" : "HTTP_PROXY";
    const env = { [variable]: address.replace("PORT", String(proxy.port)) };
    const origin = `${scheme}://api.example`;
    const error = await failureOf(ask(origin, { env, allowInternal: [origin], method: "POST" }));
    expect([error.code, error.executed]).toEqual(["SERVER_CONNECTION_ERROR", "no"]);
    const { host } = new URL(env[variable] ?? "");
    expect(error.message).toBe(`api cannot be reached through the proxy ${host} (${variable}): ${reason}.`);
    expect(error.hint).toContain("NO_PROXY");
    expect(`${error.message} ${error.hint} ${JSON.stringify(error.facts)}`).not.toMatch(/s3cret|wrong/);
  });
});

describe("certificate authorities of the environment", () => {
  const PEM = issuer.cert;

  it.each([
    ["NODE_EXTRA_CA_CERTS", "ca.pem"],
    ["SSL_CERT_FILE", "ca.pem"],
    ["SSL_CERT_DIR", ""],
  ])("are read from %s", async (variable, file) => {
    const [proxy, api] = [await proxyWith(), await serveTls()];
    const folder = folderWith({ "ca.pem": `A comment.\n${PEM}`, "README.txt": "no certificate" });
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, [variable]: join(folder, file) };
    expect(await ask(api.url, { env })).toBe("GET /");
  });

  it.each([
    ["SSL_CERT_FILE", "missing.pem", "cannot be read"],
    ["SSL_CERT_FILE", "empty.pem", "contains no certificate in PEM format"],
    ["SSL_CERT_DIR", "missing", "cannot be read"],
    ["NODE_EXTRA_CA_CERTS", "missing.pem", "cannot be read"],
  ])("reports %s that are %s as an error with the name of the variable", async (variable, file, reason) => {
    const path = join(folderWith({ "empty.pem": "" }), file);
    const error = await failureOf(ask("https://api.example/", { env: { [variable]: path } }));
    expect(error).toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: `The environment variable ${variable} names ${path}, which ${reason}.`,
    });
  });
});
