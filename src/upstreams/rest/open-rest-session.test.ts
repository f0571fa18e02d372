import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { json, listen, type Loopback, type Reply } from "../../../test/rest/loopback.js";
import { open, parameter, toCall, toOperation } from "../../../test/rest/session.js";
import type { DiscoveryError } from "../../errors.js";
import type { CallEvent } from "../../model/call.js";
import type { RestAuth, RestConnection } from "../../model/server.js";
import { createSecrets } from "../../util/secrets.js";
import type { Session } from "../session.js";
import { upstreamOptions } from "../options.js";
import { createRestMemory, type RestSessionParts } from "./open-rest-session.js";

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

async function serve(reply?: Reply): Promise<Loopback> {
  const server = await listen(reply);
  ending.push(() => server.stop());
  return server;
}

async function openTo(
  api: Loopback,
  connection: Partial<RestConnection> = {},
  parts: Partial<RestSessionParts> = {},
): Promise<Session> {
  const session = await open({ baseUrl: `${api.origin}/v1`, ...connection }, parts);
  ending.push(() => session.close());
  return session;
}

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), "rest-"));
  ending.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function failureOf(work: Promise<unknown>): Promise<DiscoveryError> {
  return await work.then(
    () => Promise.reject(new Error("It did not fail.")),
    (error: unknown) => error as DiscoveryError,
  );
}

const GET = toOperation();
const POST = toOperation({ method: "POST" });

describe("credentials that are not set", () => {
  it("are named by the call that needs them, and missed by no other", async () => {
    const api = await serve();
    const session = await openTo(api, { lacking: ["SHOP_TOKEN"] });
    expect(await failureOf(session.callTool(toCall(GET)))).toMatchObject({
      code: "CONFIGURATION_ERROR",
      executed: "no",
      facts: { variables: ["SHOP_TOKEN"] },
    });
    await session.callTool(toCall(toOperation({ isOpen: true })));
    expect(api.received).toHaveLength(1);
  });
});

describe("the list", () => {
  const described = {
    tools: [{ name: "get-item", inputSchema: {} }],
    dropped: [],
    truncated: false,
    title: "Items",
    version: "2",
  };

  it("is what the document describes", async () => {
    const document = join(place(), "api.json");
    writeFileSync(document, "the text");
    const seen: string[] = [];
    const session = await open(
      { document },
      { convert: async (text) => (seen.push(text), { ...described, description: "About." }) },
    );
    expect(await session.listTools()).toEqual({ ...described, era: "modern", instructions: "About." });
    expect(seen).toEqual(["the text"]);
  });

  it("is not made again from a file that is what it was, over many sessions", async () => {
    const document = join(place(), "api.json");
    const memory = createRestMemory();
    let converted = 0;
    const convert = async () => ({ ...described, version: String((converted += 1)) });
    const list = async () => (await (await open({ document }, { memory, convert })).listTools()).version;
    writeFileSync(document, "a");
    expect([await list(), await list()]).toEqual(["1", "1"]);
    writeFileSync(document, "b");
    utimesSync(document, 1, 1);
    expect([await list(), await list()]).toEqual(["2", "2"]);
  });

  it.each([
    ["etag", '"v1"', "if-none-match"],
    ["last-modified", "Sun, 15 Nov 2026 12:00:00 GMT", "if-modified-since"],
  ])("is not made again from an address whose %s is what it was", async (name, value, condition) => {
    const api = await serve((received, response) =>
      received.headers[condition] === value
        ? response.writeHead(304).end()
        : response.writeHead(200, { [name]: value }).end("{}"),
    );
    const memory = createRestMemory();
    let converted = 0;
    const convert = async () => ((converted += 1), described);
    for (let list = 0; list < 3; list++)
      await (await openTo(api, { document: `${api.origin}/api.json` }, { memory, convert })).listTools();
    expect([converted, api.received.length]).toEqual([1, 3]);
  });

  it.each<[string, string, RegExp]>([
    ["a file that is not there", "/nowhere/api.json", /there is no such file/],
    ["a folder", tmpdir(), /it is not a file/],
  ])("fails for %s", async (_, document, message) => {
    const error = await failureOf((await open({ document })).listTools());
    expect([error.code, error.hint]).toEqual([
      "SERVER_CONNECTION_ERROR",
      "Check adapters.api.document in the configuration.",
    ]);
    expect(error.message).toMatch(message);
  });

  it("that breaks on the way has run no call", async () => {
    const api = await serve((_, response) => response.socket?.resetAndDestroy());
    const session = await open({ document: `${api.origin}/api.json` });
    const error = await failureOf(session.callTool(toCall(POST)));
    expect([error.code, error.executed]).toEqual(["SERVER_CONNECTION_ERROR", "no"]);
  });

  it("fails for an address that has none", async () => {
    const api = await serve(json({}, 404));
    const error = await failureOf((await openTo(api, { document: `${api.origin}/api.json` })).listTools());
    expect(error.message).toBe("The document of api is not to be had: its address answered with HTTP 404.");
  });
});

describe("the base address", () => {
  const convert = (baseUrl: string) => async () => ({ tools: [], dropped: [], truncated: false, baseUrl });

  it("is the document's where the configuration has none, read once for many calls", async () => {
    const api = await serve();
    let read = 0;
    api.reply = (received, response) => {
      if (received.url === "/docs/api.json") read += 1;
      json({})(received, response);
    };
    const session = await open({ document: `${api.origin}/docs/api.json` }, { convert: convert("../v2/") });
    await Promise.all(Array.from({ length: 10 }, () => session.callTool(toCall(GET))));
    expect([read, api.received.filter(({ url }) => url === "/v2/items").length]).toEqual([1, 10]);
    await session.close();
  });

  it.each<[string, Partial<RestConnection>]>([
    ["credentials", { auth: { kind: "bearer", token: "t" } }],
    ["headers", { headers: { "x-anything": "v" } }],
  ])("of %s is not chosen by a document from the web", async (_, connection) => {
    const api = await serve();
    const document = `${api.origin}/api.json`;
    const session = await open({ document, ...connection }, { convert: convert(api.origin) });
    ending.push(() => session.close());
    await session.listTools();
    expect(await failureOf(session.callTool(toCall(GET)))).toMatchObject({
      code: "CONFIGURATION_ERROR",
      executed: "no",
      hint: expect.stringContaining("adapters.api.baseUrl"),
    });
    expect(api.received.map(({ url }) => url)).toEqual(["/api.json"]);
  });

  it.each([
    ["POST", "/admin/drop", "TOOL_EXECUTION_ERROR no", ["Bearer t"]],
    ["POST", "/v1/..%2fadmin", "TOOL_EXECUTION_ERROR no", ["Bearer t"]],
    ["POST", "/v10", "TOOL_EXECUTION_ERROR no", ["Bearer t"]],
    ["GET", "/admin/read", "done", ["Bearer t", undefined]],
    ["POST", "/v1/other", "done", ["Bearer t", "Bearer t"]],
  ])("is where credentials stay when %s is redirected to %s", async (method, location, ended, carried) => {
    const api = await serve((received, response) =>
      received.url === "/v1/items" ? response.writeHead(307, { location }).end() : json({})(received, response),
    );
    const session = await openTo(api, { auth: { kind: "bearer", token: "t" } });
    const calling = session.callTool(toCall(toOperation({ method }))).then(
      () => "done",
      ({ code, executed }: DiscoveryError) => `${code} ${executed}`,
    );
    expect(await calling).toBe(ended);
    expect(api.received.map(({ headers }) => headers["authorization"])).toEqual(carried);
  });

  it("is missing where neither has one", async () => {
    const document = join(place(), "api.json");
    writeFileSync(document, "{}");
    for (const session of [await open({ document }), await open({ document }, { convert: convert("/relative") })]) {
      const error = await failureOf(session.callTool(toCall(GET)));
      expect([error.code, error.hint]).toEqual([
        "CONFIGURATION_ERROR",
        expect.stringContaining("adapters.api.baseUrl"),
      ]);
    }
  });

  it.each(["nonsense", "ftp://a/", "https://a:b@c/", "https://a/?b=c"])("cannot be %s", async (baseUrl) => {
    await expect(open({ baseUrl })).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
  });
});

describe("credentials", () => {
  const cases: [string, RestAuth, object][] = [
    ["a bearer token", { kind: "bearer", token: "tok-1" }, { headers: { authorization: "Bearer tok-1" } }],
    [
      "a password",
      { kind: "basic", username: "ann", password: "pw:x" },
      { headers: { authorization: `Basic ${btoa("ann:pw:x")}` } },
    ],
    ["a key in a header", { kind: "api-key", in: "header", name: "X-Key", value: "k" }, { headers: { "x-key": "k" } }],
    [
      "a key in the query",
      { kind: "api-key", in: "query", name: "key", value: "k&1" },
      { url: "/v1/items?q=x&key=k%261" },
    ],
    [
      "a key in a cookie",
      { kind: "api-key", in: "cookie", name: "sid", value: "s;1" },
      { headers: { cookie: "c=1; sid=s%3B1" } },
    ],
  ];
  const operation = toOperation({
    parameters: [parameter("query", "q"), parameter("cookie", "c"), parameter("query", "key")],
  });

  it.each(cases)("travel as %s", async (_, auth, seen) => {
    const api = await serve();
    await (await openTo(api, { auth })).callTool(toCall(operation, { q: "x", c: 1 }));
    expect(api.received[0]).toMatchObject(seen);
  });

  it.each(cases)("do not travel as %s where the document says that none are needed", async (_, auth) => {
    const api = await serve();
    const headers = { authorization: "Basic x", "x-token": "t", "x-team": "blue" };
    await (await openTo(api, { auth, headers })).callTool(toCall(toOperation({ isOpen: true })));
    const [seen] = api.received;
    expect(seen?.url).toBe("/v1/items");
    expect(Object.keys(seen?.headers ?? {}).sort()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
      "x-team",
    ]);
  });

  it("of the configuration count, whatever an argument says", async () => {
    const api = await serve();
    const session = await openTo(api, { auth: { kind: "api-key", in: "query", name: "key", value: "right" } });
    await session.callTool(toCall(operation, { key: "wrong", q: "x" }));
    expect(api.received[0]?.url).toBe("/v1/items?q=x&key=right");
  });

  it("that cannot travel are the configuration's error", async () => {
    for (const connection of [
      { headers: { Host: "other" } },
      { headers: { "X-A": "b\r\nc" } },
      { auth: { kind: "bearer", token: "a\nb" } as const },
      { auth: { kind: "api-key", in: "header", name: "a b", value: "c" } as const },
    ]) {
      await expect(open({ baseUrl: "https://a.example", ...connection })).rejects.toMatchObject({
        code: "CONFIGURATION_ERROR",
      });
    }
  });

  it("are noted, and show in no error even if the API repeats them", async () => {
    const api = await serve(json({ message: "bad token s3cret-t0ken-value and c2VjcmV0" }, 400));
    const secrets = createSecrets();
    const session = await openTo(api, { auth: { kind: "bearer", token: "s3cret-t0ken-value" } }, { secrets });
    const error = await failureOf(session.callTool(toCall(GET)));
    expect(JSON.stringify([error.message, error.facts])).not.toContain("s3cret-t0ken");
    expect(error.facts["api_message"]).toContain("bad token ***");
  });

  it("that are refused are named in the hint", async () => {
    const api = await serve(json({ error: { message: "Expired." } }, 401));
    const [without, withToken] = [await openTo(api), await openTo(api, { auth: { kind: "bearer", token: "x" } })];
    expect(await failureOf(without.callTool(toCall(GET)))).toMatchObject({
      code: "UPSTREAM_UNAUTHORIZED",
      message: "api refused our credentials (HTTP 401): Expired.",
      hint: "Nothing says who asks: set adapters.api.auth, or the variable that it names.",
      executed: "no",
    });
    const { hint } = await failureOf(withToken.callTool(toCall(GET)));
    expect(hint).toBe("Check token in adapters.api.auth, or the variable that it names.");
  });

  it("of callers never travel", async () => {
    const api = await serve();
    const meta = {
      authorization: "canary",
      headers: { cookie: "canary" },
      "anygpt/idempotencyKey": "canary",
      traceparent: "canary",
    };
    await (await openTo(api)).callTool(toCall(GET, {}, { meta }));
    expect(JSON.stringify(api.received)).not.toContain("canary");
  });
});

describe("client credentials", () => {
  /** Gives tokens one by one; the API takes only the newest. */
  async function serveTokens(expiresIn = 3600): Promise<{ api: Loopback; issued: () => number; revoke(): void }> {
    let issued = 0;
    let valid = "";
    const api = await serve((received, response) => {
      if (received.url === "/token") {
        issued += 1;
        valid = `token-${issued}`;
        return json({ access_token: valid, token_type: "Bearer", expires_in: expiresIn })(received, response);
      }
      const isRight = received.headers["authorization"] === `Bearer ${valid}`;
      return json({}, isRight ? 200 : 401)(received, response);
    });
    return { api, issued: () => issued, revoke: () => (valid = "") };
  }
  const authOf = (api: Loopback) =>
    ({
      kind: "client-credentials",
      tokenUrl: `${api.origin}/token`,
      clientId: "i d",
      clientSecret: "s:c",
      scopes: ["a", "b"],
    }) as const;

  it("are asked for once for fifty calls at once", async () => {
    const { api, issued } = await serveTokens();
    const session = await openTo(api, { auth: authOf(api) });
    await Promise.all(Array.from({ length: 50 }, () => session.callTool(toCall(GET))));
    expect(issued()).toBe(1);
    const [asked] = api.received;
    expect(asked?.body.toString()).toBe("grant_type=client_credentials&scope=a+b");
    expect(asked?.headers["authorization"]).toBe(`Basic ${btoa("i+d:s%3Ac")}`);
  });

  it("are asked for once more when fifty calls at once are refused, and each call runs once", async () => {
    const { api, issued, revoke } = await serveTokens();
    const session = await openTo(api, { auth: authOf(api) });
    await session.callTool(toCall(POST));
    revoke();
    const results = await Promise.all(Array.from({ length: 50 }, () => session.callTool(toCall(POST))));
    expect([results.length, issued()]).toEqual([50, 2]);
    const ran = api.received.filter(
      ({ url, headers }) => url === "/v1/items" && headers["authorization"] === "Bearer token-2",
    );
    expect(ran.length).toBe(50);
  });

  it("are asked for anew shortly before they end", async () => {
    const { api, issued } = await serveTokens(100);
    let now = 0;
    const session = await openTo(api, { auth: authOf(api) }, { now: () => now });
    await session.callTool(toCall(GET));
    now = 89_000;
    await session.callTool(toCall(GET));
    expect(issued()).toBe(1);
    now = 90_000;
    await session.callTool(toCall(GET));
    expect(issued()).toBe(2);
  });

  it("that break on the way have run no call", async () => {
    const api = await serve((_, response) => response.socket?.resetAndDestroy());
    const error = await failureOf((await openTo(api, { auth: authOf(api) })).callTool(toCall(POST)));
    expect([error.code, error.executed]).toEqual(["SERVER_CONNECTION_ERROR", "no"]);
  });

  it.each([{ timeoutMs: 50 }, { maxTotalMs: 50 }])("are waited for no longer than the call has: %j", async (limits) => {
    const api = await serve(() => undefined);
    const session = await openTo(api, { auth: authOf(api) }, { now: () => 0 });
    const error = await failureOf(session.callTool(toCall(POST, {}, limits)));
    expect([error.code, error.executed, error.facts["limitMs"]]).toEqual(["TOOL_EXECUTION_TIMEOUT", "no", 50]);
  });

  it("are fetched for all, whoever stops waiting", async () => {
    const abort = new AbortController();
    const api = await serve();
    let give: () => unknown = () => undefined;
    api.reply = (received, response) => {
      if (received.url !== "/token") return json({})(received, response);
      give = () => json({ access_token: "t" })(received, response);
      return abort.abort();
    };
    const session = await openTo(api, { auth: authOf(api) });
    const [left, stays] = [session.callTool(toCall(POST), abort.signal), session.callTool(toCall(POST))];
    expect(await failureOf(left)).toMatchObject({ code: "CANCELLED", executed: "no" });
    give();
    await stays;
    expect(api.received.map(({ url }) => url)).toEqual(["/token", "/v1/items"]);
  });

  it("are given up after one new token", async () => {
    const api = await serve((received, response) =>
      received.url === "/token" ? json({ access_token: "t" })(received, response) : json({}, 401)(received, response),
    );
    const error = await failureOf((await openTo(api, { auth: authOf(api) })).callTool(toCall(POST)));
    expect([error.code, api.received.map(({ url }) => url)]).toEqual([
      "UPSTREAM_UNAUTHORIZED",
      ["/token", "/v1/items", "/token", "/v1/items"],
    ]);
  });

  it("go into the body where the header is not taken", async () => {
    const api = await serve((received, response) => {
      if (received.url !== "/token") return json({})(received, response);
      const isInBody = received.body.toString().includes("client_secret=s%3Ac");
      return json(isInBody ? { access_token: "t" } : { error: "invalid_client" }, isInBody ? 200 : 401)(
        received,
        response,
      );
    });
    await (await openTo(api, { auth: authOf(api) })).callTool(toCall(GET));
    expect(api.received.map(({ url }) => url)).toEqual(["/token", "/token", "/v1/items"]);
  });

  it("that are refused say so, and nothing is sent", async () => {
    const api = await serve(json({ error: "invalid_client" }, 401));
    const error = await failureOf((await openTo(api, { auth: authOf(api) })).callTool(toCall(POST)));
    expect([error.code, error.executed, error.facts]).toEqual([
      "UPSTREAM_UNAUTHORIZED",
      "no",
      { status: 401, error: "invalid_client" },
    ]);
    expect(api.received.every(({ url }) => url === "/token")).toBe(true);
  });
});

describe("an idempotency key", () => {
  it("travels in the header that the operation names", async () => {
    const api = await serve();
    const operation = toOperation({ method: "POST", idempotencyHeader: "Idempotency-Key" });
    await (await openTo(api)).callTool(toCall(operation, {}, { meta: { "anygpt/idempotencyKey": "k-1" } }));
    expect(api.received[0]?.headers["idempotency-key"]).toBe("k-1");
  });

  it("that no header can hold is refused", async () => {
    const api = await serve();
    const operation = toOperation({ method: "POST", idempotencyHeader: "Idempotency-Key" });
    const call = toCall(operation, {}, { meta: { "anygpt/idempotencyKey": "k\r\nx: y" } });
    expect((await failureOf((await openTo(api)).callTool(call))).code).toBe("TOOL_VALIDATION_ERROR");
    expect(api.received).toEqual([]);
  });
});

describe("another try", () => {
  const KEYED = { meta: { "anygpt/idempotencyKey": "k" } };
  const withKey = toOperation({ method: "POST", idempotencyHeader: "Idempotency-Key" });

  it.each<[string, Reply, Parameters<typeof toCall>, number]>([
    ["GET after 503 with Retry-After", json({}, 503, { "retry-after": "0" }), [GET], 3],
    [
      "GET after 429 with a date in the past",
      json({}, 429, { "retry-after": "Sun, 15 Nov 2020 12:00:00 GMT" }),
      [GET],
      3,
    ],
    ["GET after 429 with 1e9 seconds", json({}, 429, { "retry-after": "1000000000" }), [GET], 1],
    ["GET after 502", json({}, 502), [GET], 3],
    ["GET after 500", json({}, 500), [GET], 1],
    ["GET after a reset", (_, response) => response.socket?.resetAndDestroy(), [GET], 3],
    ["POST after 503", json({}, 503, { "retry-after": "0" }), [POST], 1],
    ["POST after 502", json({}, 502), [POST], 1],
    ["POST after a reset", (_, response) => response.socket?.resetAndDestroy(), [POST], 1],
    ["POST with a key after a reset", (_, response) => response.socket?.resetAndDestroy(), [withKey, {}, KEYED], 3],
    ["POST with a key after 502", json({}, 502), [withKey, {}, KEYED], 1],
    ["PUT after a reset", (_, response) => response.socket?.resetAndDestroy(), [toOperation({ method: "PUT" })], 1],
    [
      "an idempotent PUT after a reset",
      (_, response) => response.socket?.resetAndDestroy(),
      [toOperation({ method: "PUT", idempotent: true })],
      3,
    ],
  ])("of %s", async (_, reply, call, requests) => {
    const api = await serve(reply);
    await failureOf((await openTo(api)).callTool(toCall(...call)));
    expect(api.received.length).toBe(requests);
  });

  it("that succeeds is the answer", async () => {
    const api = await serve();
    api.reply = (received, response) =>
      json({ n: api.received.length }, api.received.length === 1 ? 502 : 200)(received, response);
    expect(await (await openTo(api)).callTool(toCall(GET))).toMatchObject({ structuredContent: { n: 2 } });
  });

  it("that is refused leaves open what an earlier one has done", async () => {
    const api = await serve();
    api.reply = (received, response) =>
      api.received.length === 1
        ? response.socket?.resetAndDestroy()
        : json({ message: "exists" }, 400)(received, response);
    const error = await failureOf((await openTo(api)).callTool(toCall(withKey, {}, KEYED)));
    expect([error.facts["status"], error.executed]).toEqual([400, "unknown"]);
  });

  it("is made for at most a tenth of 500 failing calls", async () => {
    const api = await serve(json({}, 503, { "retry-after": "0" }));
    const session = await openTo(api);
    for (let first = 0; first < 500; first += 25) {
      await Promise.all(Array.from({ length: 25 }, () => failureOf(session.callTool(toCall(GET)))));
    }
    expect(api.received.length).toBeLessThanOrEqual(550);
    expect(api.received.length).toBeGreaterThan(540);
  });

  it("waits no longer than the caller", async () => {
    const api = await serve(json({}, 503, { "retry-after": "9" }));
    const abort = new AbortController();
    const session = await openTo(api, {}, { schedule: () => (abort.abort(), () => undefined) });
    const error = await failureOf(session.callTool(toCall(GET), abort.signal));
    expect([error.code, api.received.length]).toEqual(["CANCELLED", 1]);
  });
});

describe("an answer", () => {
  const raw =
    (type: string | undefined, body: string | Buffer, status = 200): Reply =>
    (_, response) =>
      response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
  const text = (value: string) => ({ content: [{ type: "text", text: value }] });

  it.each<[string, Reply, object]>([
    [
      "of JSON",
      raw("application/json; charset=utf-8", '{"a": 1}'),
      { ...text('{"a": 1}'), structuredContent: { a: 1 } },
    ],
    [
      "of JSON with a number that no double holds",
      raw("application/json", '{"a":9007199254740993}'),
      text('{"a":9007199254740993}'),
    ],
    ["of a JSON list", raw("application/hal+json", "[1]"), { ...text("[1]"), structuredContent: { result: [1] } }],
    ["of JSON that is none", raw("application/json", "oops"), text("oops")],
    [
      "of JSON too deep",
      raw("application/json", `${"[".repeat(600)}${"]".repeat(600)}`),
      text(`${"[".repeat(600)}${"]".repeat(600)}`),
    ],
    ["of text", raw("text/html", "<p>é"), text("<p>é")],
    ["of text in Latin-1", raw("text/plain; charset=iso-8859-1", Buffer.from([0xe9])), text("é")],
    ["of text in a charset of nowhere", raw("text/plain; charset=klingon", "x"), text("x")],
    ["of XML", raw("application/atom+xml", "<a/>"), text("<a/>")],
    ["of no type", raw(undefined, "plain"), text("plain")],
    [
      "of an image",
      raw("image/png", Buffer.from([1, 2])),
      { content: [{ type: "image", data: "AQI=", mimeType: "image/png" }] },
    ],
    [
      "of sound",
      raw("audio/ogg", Buffer.from([1])),
      { content: [{ type: "audio", data: "AQ==", mimeType: "audio/ogg" }] },
    ],
    ["of nothing", raw(undefined, "", 204), text("Done: HTTP 204 without content.")],
  ])("%s", async (_, reply, result) => {
    const api = await serve(reply);
    expect(await (await openTo(api)).callTool(toCall(GET))).toMatchObject(result);
  });

  it("of other bytes is a resource whose address holds no key", async () => {
    const api = await serve(raw("application/pdf", "%PDF"));
    const session = await openTo(api, { auth: { kind: "api-key", in: "query", name: "key", value: "k" } });
    expect((await session.callTool(toCall(GET))).content).toEqual([
      { type: "resource", resource: { uri: `${api.origin}/v1/items`, mimeType: "application/pdf", blob: "JVBERg==" } },
    ]);
  });

  it("to HEAD is its headers", async () => {
    const api = await serve((_, response) => response.writeHead(200, { "x-total": "7", "set-cookie": "a=b" }).end());
    const { structuredContent } = await (await openTo(api)).callTool(toCall(toOperation({ method: "HEAD" })));
    expect(structuredContent).toMatchObject({ status: 200, headers: { "x-total": "7" } });
    expect(JSON.stringify(structuredContent)).not.toContain("a=b");
  });

  it("that was made tells where it lies", async () => {
    const api = await serve((_, response) => response.writeHead(201, { location: "/v1/items/7" }).end());
    expect((await (await openTo(api)).callTool(toCall(POST))).content[0]?.["text"]).toContain("/v1/items/7");
  });

  it("too large fails, and says that the call ran", async () => {
    const api = await serve(raw("text/plain", "x".repeat(5000)));
    const session = await openTo(api, {}, { options: upstreamOptions.parse({ maxMessageBytes: 1024 }) });
    const error = await failureOf(session.callTool(toCall(POST)));
    expect([error.code, error.executed]).toEqual(["RESULT_TOO_LARGE", "yes"]);
  });
});

describe("an answer that comes bit by bit", () => {
  const inPieces =
    (type: string, pieces: readonly string[]): Reply =>
    async (_, response) => {
      response.writeHead(200, { "content-type": type });
      for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
      response.end();
    };

  it.each<[string, string[], string[]]>([
    [
      "text/event-stream",
      ["data: a\n\nda", "ta: b\ndata: c\n\n: comment\n\nevent: x\r\ndata: d\r\n\r\n"],
      ["a", "b\nc", "d"],
    ],
    ["application/x-ndjson", ['{"a":1}\n{"b"', ':2}\n\n{"c":3}'], ['{"a":1}', '{"b":2}']],
  ])("as %s is told as progress", async (type, pieces, messages) => {
    const api = await serve(inPieces(type, pieces));
    const events: CallEvent[] = [];
    const result = await (await openTo(api)).callTool(toCall(GET, {}, { onEvent: (event) => events.push(event) }));
    expect(events).toEqual(messages.map((message, index) => ({ kind: "progress", progress: index + 1, message })));
    expect(result.content).toEqual([{ type: "text", text: pieces.join("") }]);
  });

  it("as chunks of text is told too, and its signs of life keep it going", async () => {
    const api = await serve(async (_, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      let drips = 0;
      const timer = setInterval(() => (drips++ < 15 ? response.write("x") : response.end()), 20);
      response.on("close", () => clearInterval(timer));
    });
    const events: CallEvent[] = [];
    const call = toCall(GET, {}, { timeoutMs: 150, onEvent: (event) => events.push(event) });
    expect((await (await openTo(api)).callTool(call)).content).toEqual([{ type: "text", text: "x".repeat(15) }]);
    expect(events.length).toBeGreaterThan(1);
  });

  it("ends when only comments come", async () => {
    const api = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write(": still here\n\n"), 20);
      response.on("close", () => clearInterval(timer));
    });
    const began = performance.now();
    const error = await failureOf((await openTo(api)).callTool(toCall(GET, {}, { timeoutMs: 300 })));
    expect([error.code, error.executed]).toEqual(["TOOL_EXECUTION_TIMEOUT", "unknown"]);
    expect(performance.now() - began).toBeGreaterThan(270);
  });
});

describe("a failure", () => {
  it.each<[string, Reply, string | undefined]>([
    ["error.message", json({ error: { message: "No such customer." } }, 400), "No such customer."],
    ["message", json({ message: "Not\n found" }, 400), "Not found"],
    ["error_description", json({ error: "x", error_description: "Why" }, 400), "Why"],
    ["detail", json({ title: "T", detail: "D" }, 400), "D"],
    ["title", json({ type: "about:blank", title: "T" }, 400), "T"],
    ["errors[0].message", json({ errors: [{ message: "E" }] }, 400), "E"],
    ["errors[0]", json({ errors: ["E"] }, 400), "E"],
    ["error", json({ error: "E" }, 400), "E"],
    ["the text", (_, response) => response.writeHead(400, { "content-type": "text/plain" }).end("plain"), "plain"],
    [
      "a page's title",
      (_, response) => response.writeHead(400, { "content-type": "text/html" }).end("<html><title>Oops</title>"),
      "Oops",
    ],
    ["nowhere", json({ code: 7 }, 400), undefined],
    ["a prototype", json({ error: [] }, 400), undefined],
  ])("says what the API says in %s", async (_, reply, message) => {
    const api = await serve(reply);
    const { facts, code } = await failureOf((await openTo(api)).callTool(toCall(POST)));
    expect([code, facts["status"], facts["api_message"]]).toEqual(["TOOL_EXECUTION_ERROR", 400, message]);
  });

  it.each([
    [400, "no"],
    [402, "yes"],
    [403, "no"],
    [404, "no"],
    [408, "unknown"],
    [409, "yes"],
    [410, "no"],
    [418, "yes"],
    [422, "no"],
    [429, "no"],
    [500, "unknown"],
    [501, "no"],
    [502, "unknown"],
    [503, "unknown"],
    [504, "unknown"],
    [302, "unknown"],
    [303, "yes"],
    [304, "no"],
  ])("with %i says that the call was carried out: %s", async (status, executed) => {
    const api = await serve(json({}, status));
    const error = await failureOf((await openTo(api)).callTool(toCall(POST)));
    expect([error.facts["status"], error.executed]).toEqual([status, executed]);
  });

  it("tells what the document says of it, and when to come again", async () => {
    const api = await serve(json({ message: "slow down" }, 429, { "retry-after": "30" }));
    const errors = { "429": "Too many requests." };
    const error = await failureOf((await openTo(api)).callTool(toCall(toOperation({ method: "POST", errors }))));
    expect(error.message).toBe("api answered with an error (HTTP 429): slow down.");
    expect(error.hint).toBe("Call again in 30 s. The document says of 429: Too many requests.");
    expect(error.facts).toEqual({ status: 429, api_message: "slow down", retry_after_ms: 30_000 });
  });

  it("of any length costs no more than its start", async () => {
    const api = await serve((_, response) => {
      response.writeHead(400, { "content-type": "text/plain" });
      const more = (): void =>
        void (
          response.destroyed || (response.write("x".repeat(65_536)) ? setImmediate(more) : response.once("drain", more))
        );
      more();
    });
    const error = await failureOf((await openTo(api)).callTool(toCall(POST)));
    expect([error.facts["status"], String(error.facts["api_message"]).length]).toEqual([400, 500]);
  });

  it("of a tool that nothing describes sends nothing", async () => {
    const api = await serve();
    const { operation: _, ...call } = toCall(GET);
    expect((await failureOf((await openTo(api)).callTool(call))).message).toBe(
      "Nothing says how tool of api is asked.",
    );
    expect(api.received).toEqual([]);
  });
});

it("says who it is, closes once, and cancels what is under way", async () => {
  const abort = new AbortController();
  const api = await serve(() => abort.abort());
  const session = await openTo(api);
  expect(await failureOf(session.callTool(toCall(POST), abort.signal))).toMatchObject({
    code: "CANCELLED",
    executed: "unknown",
  });
  expect(api.received[0]?.headers["user-agent"]).toBe("anygpt-discovery/1.2.3");
  expect([session.era, session.closed]).toEqual(["modern", false]);
  session.watchList();
  await session.close();
  expect(session.closed).toBe(true);
});
