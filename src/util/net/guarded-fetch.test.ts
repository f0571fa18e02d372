import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo } from "node:net";
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
import { follow } from "./redirect.js";

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

describe("redirects", () => {
  const CREDENTIALS = {
    authorization: "Bearer t",
    cookie: "a=b",
    "x-api-key": "k",
    "x-anything": "v",
    accept: "text/plain",
  };

  it("within the base address keep headers and body", async () => {
    const api = await serve((received, response) =>
      received.url === "/a" ? response.writeHead(307, { location: "/b" }).end() : json({})(received, response),
    );
    const guarded = guard({ allowInternal: [api.origin] });
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
    await textOf(await guard({ allowInternal: [api.origin] }).fetch(ask(`${api.origin}/a`, { method, ...body })));
    expect(api.received.map((each) => each.method)).toEqual([method, then]);
    expect(api.received[1]?.body.toString()).toBe("body" in body && then === method ? "x" : "");
  });

  it.each(
    ["POST", "PUT", "PATCH", "DELETE"].flatMap((method) => [301, 302].map((status) => [method, status] as const)),
  )("of %s with %i are not followed, and it is unknown whether the request ran", async (method, status) => {
    const api = await serve((_, response) => response.writeHead(status, { location: "/" }).end());
    const error = await failureOf(guard({ allowInternal: [api.origin] }), ask(api.origin, { method }));
    expect([error.code, error.executed, api.received.length]).toEqual(["TOOL_EXECUTION_ERROR", "unknown", 1]);
  });

  it("with 301 to an invalid address leave open whether a changing request ran", async () => {
    const api = await serve((_, response) => response.writeHead(301, { location: "http://[" }).end());
    const error = await failureOf(guard({ allowInternal: [api.origin] }), ask(api.origin, { method: "POST" }));
    expect([error.code, error.executed]).toEqual(["SERVER_CONNECTION_ERROR", "unknown"]);
  });

  it.each([307, 308])("with %i send a changing request again once", async (status) => {
    const api = await serve((_, response) => response.writeHead(status, { location: "/" }).end());
    const error = await failureOf(guard({ allowInternal: [api.origin] }), ask(api.origin, { method: "PATCH" }));
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
    const asking = guard({ allowInternal: [api.origin] }).fetch(request);
    const ended = asking.then(textOf).catch(({ code }: DiscoveryError) => code);
    expect(await ended).toBe(seen.length === 1 ? "TOOL_EXECUTION_ERROR" : "");
    expect(api.received.map((each) => `${each.method} ${each.url} ${String(each.headers["x-api-key"])}`)).toEqual(seen);
  });

  it("to another origin carry no credentials, in any header", async () => {
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
    // Represents two public addresses: the guard decides by the names.
    const lookup = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    const origin = `https://a.example:${portOf(servers[0])}`;
    const other = `https://b.example:${portOf(servers[1])}`;
    const guarded = guard({ allowInternal: [origin], lookup, ca: issuer.cert });
    expect((await failureOf(guarded, ask(origin, { headers: CREDENTIALS }))).message).toContain(
      "resolves to an address of this machine",
    );
    expect(seen.length).toBe(1);
    expect(
      follow("api", { url: new URL(origin), method: "GET", headers: CREDENTIALS }, { status: 302, location: other }),
    ).toEqual({
      url: new URL(other),
      method: "GET",
      headers: { accept: "text/plain" },
    });
  });

  it("from https to http are rejected", () => {
    const hop = { url: new URL("https://a.example/"), method: "GET", headers: {} };
    const error = follow("api", hop, { status: 302, location: "http://a.example/" });
    expect(error).toMatchObject({ code: "SERVER_CONNECTION_ERROR", message: expect.stringContaining("not encrypted") });
  });

  it.each([
    ["POST", { body: Buffer.from("x") }],
    ["GET", { body: Buffer.from("x") }],
    ["DELETE", {}],
  ])("never send %s with %j to another origin", (method, body) => {
    const hop = { url: new URL("https://a.example/"), method, headers: {}, ...body };
    const error = follow("api", hop, { status: 307, location: "https://b.example/" });
    expect(error).toMatchObject({ message: expect.stringContaining("another origin") });
  });

  it("are followed at most five times", async () => {
    const api = await serve((received, response) =>
      response.writeHead(302, { location: `/${Number(received.url.slice(1)) + 1}` }).end(),
    );
    const error = await failureOf(guard({ allowInternal: [api.origin] }), ask(`${api.origin}/0`));
    expect([error.message, api.received.length]).toEqual(["api is not contacted: it redirects more than 5 times.", 6]);
  });

  it("state after 303 that the request was executed, whatever happens next", async () => {
    const api = await serve((_, response) => response.writeHead(303, { location: "https://127.0.0.1/" }).end());
    const error = await failureOf(guard({ allowInternal: [api.origin] }), ask(api.origin, { method: "POST" }));
    expect([error.code, error.executed]).toEqual(["SERVER_CONNECTION_ERROR", "yes"]);
  });

  it("are returned unfollowed if the caller requests it", async () => {
    const api = await serve((_, response) => response.writeHead(302, { location: "/b" }).end());
    const response = await guard({ allowInternal: [api.origin] }).fetch(ask(api.origin, { redirect: "refuse" }));
    expect(response.status).toBe(302);
    await textOf(response);
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

  it("accepts a certificate of the given authority", async () => {
    const origin = await serveTls(issuer.issue({ ip: "127.0.0.1" }));
    expect(await textOf(await guard({ allowInternal: [origin], ca: issuer.cert }).fetch(ask(origin)))).toBe("safe");
  });

  it.each([
    [
      "an unknown authority",
      issuer.issue({ ip: "127.0.0.1" }),
      createIssuer().cert,
      /cannot be verified|self-signed|not accepted/,
    ],
    ["no authority", createIssuer(), undefined, /self-signed/],
    ["an expired date", issuer.issue({ ip: "127.0.0.1" }, EXPIRED), issuer.cert, /has expired/],
    ["another host", issuer.issue({ dns: ["other.example"] }), issuer.cert, /another host/],
  ])("rejects a certificate of %s, even if the environment disables the check", async (_, certificate, ca, message) => {
    const origin = await serveTls(certificate);
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    ending.push(() => delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]);
    const guarded = guard({ allowInternal: [origin], ...(ca === undefined ? {} : { ca }) });
    const error = await failureOf(guarded, ask(origin, { method: "POST", body: Buffer.from("secret") }));
    expect([error.code, error.executed]).toEqual(["SERVER_CONNECTION_ERROR", "no"]);
    expect(error.message).toMatch(message);
  });

  it("does not fall back to plain HTTP", async () => {
    const api = await serve();
    const origin = api.origin.replace("http:", "https:");
    const error = await failureOf(guard({ allowInternal: [origin] }), ask(origin));
    expect([error.code, api.received.length]).toEqual(["SERVER_CONNECTION_ERROR", 0]);
    expect(error.message).toContain("it does not speak TLS");
  });
});

it("ignores proxy variables of the process if no environment is given", async () => {
  const [api, proxy] = [await serve(), await serve()];
  for (const name of ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "NODE_USE_ENV_PROXY"]) {
    process.env[name] = name.startsWith("NODE") ? "1" : proxy.origin;
    ending.push(() => delete process.env[name]);
  }
  await textOf(await guard({ allowInternal: [api.origin] }).fetch(ask(api.origin)));
  expect([api.received.length, proxy.connections()]).toEqual([1, 0]);
});

function portOf(server: { address(): unknown } | undefined): number {
  return (server!.address() as AddressInfo).port;
}
