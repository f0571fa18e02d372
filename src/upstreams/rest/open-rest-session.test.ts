import { utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GET, POST, setUpSessions } from "../../../test/rest/loopback-session.js";
import { json, type Reply } from "../../../test/rest/loopback.js";
import { open, toCall, toOperation } from "../../../test/rest/session.js";
import { failure } from "../../../test/support/failure.js";
import type { DiscoveryError } from "../../errors.js";
import type { RestConnection } from "../../model/server.js";
import { createRestMemory } from "./open-rest-session.js";

const { serve, openTo, place, atEnd } = setUpSessions();

describe("the tool list", () => {
  const described = {
    tools: [{ name: "get-item", inputSchema: {} }],
    dropped: [],
    truncated: false,
    title: "Items",
    version: "2",
  };

  it("contains the tools that the document describes", async () => {
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

  it("is not converted again from an unchanged file, across sessions", async () => {
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
  ])("is not converted again from a URL with an unchanged %s", async (name, value, condition) => {
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
    ["a missing file", "/nowhere/api.json", /there is no such file/],
    ["a folder", tmpdir(), /it is not a file/],
  ])("fails for %s", async (_, document, message) => {
    const error = await failure((await open({ document })).listTools());
    expect([error.code, error.hint]).toEqual([
      "SERVER_CONNECTION_ERROR",
      "Correct `adapters.api.document` in the configuration.",
    ]);
    expect(error.message).toMatch(message);
  });

  it("reports a call as not executed if the document cannot be read", async () => {
    const api = await serve((_, response) => response.socket?.resetAndDestroy());
    const session = await open({ document: `${api.origin}/api.json` });
    const error = await failure(session.callTool(toCall(POST)));
    expect([error.code, error.executed]).toEqual(["SERVER_CONNECTION_ERROR", "no"]);
  });

  it("fails for a URL that answers with 404", async () => {
    const api = await serve(json({}, 404));
    const error = await failure((await openTo(api, { document: `${api.origin}/api.json` })).listTools());
    expect(error.message).toBe("The API document of api cannot be read: its URL answered with HTTP 404.");
  });
});

describe("the base address", () => {
  const convert = (baseUrl: string) => async () => ({ tools: [], dropped: [], truncated: false, baseUrl });

  it("comes from the document if the configuration has none, and is read once for many calls", async () => {
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
  ])("is not taken from a web document if the connection has %s", async (_, connection) => {
    const api = await serve();
    const document = `${api.origin}/api.json`;
    const session = await open({ document, ...connection }, { convert: convert(api.origin) });
    atEnd(() => session.close());
    await session.listTools();
    expect(await failure(session.callTool(toCall(GET)))).toMatchObject({
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
  ])("limits where credentials are sent when %s is redirected to %s", async (method, location, ended, carried) => {
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

  it("is reported as missing if neither the configuration nor the document has one", async () => {
    const document = join(place(), "api.json");
    writeFileSync(document, "{}");
    for (const session of [await open({ document }), await open({ document }, { convert: convert("/relative") })]) {
      const error = await failure(session.callTool(toCall(GET)));
      expect([error.code, error.hint]).toEqual([
        "CONFIGURATION_ERROR",
        expect.stringContaining("adapters.api.baseUrl"),
      ]);
    }
  });

  it.each(["nonsense", "ftp://a/", "https://a:b@c/", "https://a/?b=c"])("rejects %s", async (baseUrl) => {
    await expect(open({ baseUrl })).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
  });
});

describe("an idempotency key", () => {
  it("is sent in the header that the operation names", async () => {
    const api = await serve();
    const operation = toOperation({ method: "POST", idempotencyHeader: "Idempotency-Key" });
    await (await openTo(api)).callTool(toCall(operation, {}, { meta: { "anygpt/idempotencyKey": "k-1" } }));
    expect(api.received[0]?.headers["idempotency-key"]).toBe("k-1");
  });

  it("is rejected if a header cannot contain it", async () => {
    const api = await serve();
    const operation = toOperation({ method: "POST", idempotencyHeader: "Idempotency-Key" });
    const call = toCall(operation, {}, { meta: { "anygpt/idempotencyKey": "k\r\nx: y" } });
    expect((await failure((await openTo(api)).callTool(call))).code).toBe("TOOL_VALIDATION_ERROR");
    expect(api.received).toEqual([]);
  });
});

describe("a retry", () => {
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
  ])("after %s", async (_, reply, call, requests) => {
    const api = await serve(reply);
    await failure((await openTo(api)).callTool(toCall(...call)));
    expect(api.received.length).toBe(requests);
  });

  it("returns the result if it succeeds", async () => {
    const api = await serve();
    api.reply = (received, response) =>
      json({ n: api.received.length }, api.received.length === 1 ? 502 : 200)(received, response);
    expect(await (await openTo(api)).callTool(toCall(GET))).toMatchObject({ structuredContent: { n: 2 } });
  });

  it("keeps the call's execution unknown if an earlier attempt may have executed it", async () => {
    const api = await serve();
    api.reply = (received, response) =>
      api.received.length === 1
        ? response.socket?.resetAndDestroy()
        : json({ message: "exists" }, 400)(received, response);
    const error = await failure((await openTo(api)).callTool(toCall(withKey, {}, KEYED)));
    expect([error.facts["status"], error.executed]).toEqual([400, "unknown"]);
  });

  it("is made for at most a tenth of 500 failing calls", async () => {
    const api = await serve(json({}, 503, { "retry-after": "0" }));
    const session = await openTo(api);
    for (let first = 0; first < 500; first += 25) {
      await Promise.all(Array.from({ length: 25 }, () => failure(session.callTool(toCall(GET)))));
    }
    expect(api.received.length).toBeLessThanOrEqual(550);
    expect(api.received.length).toBeGreaterThan(540);
  });

  it("waits no longer than the caller's time limit", async () => {
    const api = await serve(json({}, 503, { "retry-after": "9" }));
    const abort = new AbortController();
    const session = await openTo(api, {}, { schedule: () => (abort.abort(), () => undefined) });
    const error = await failure(session.callTool(toCall(GET, {}, { signal: abort.signal })));
    expect([error.code, api.received.length]).toEqual(["CANCELLED", 1]);
  });
});

it("sends its user agent, closes once, and cancels running calls", async () => {
  const abort = new AbortController();
  const api = await serve(() => abort.abort());
  const session = await openTo(api);
  expect(await failure(session.callTool(toCall(POST, {}, { signal: abort.signal })))).toMatchObject({
    code: "CANCELLED",
    executed: "unknown",
  });
  expect(api.received[0]?.headers["user-agent"]).toBe("anygpt-discovery/1.2.3");
  expect([session.era, session.closed]).toEqual(["modern", false]);
  session.watchList();
  await session.close();
  expect(session.closed).toBe(true);
});
