import { describe, expect, it } from "vitest";
import { GET, POST, setUpSessions } from "../../../test/rest/loopback-session.js";
import { json, type Reply } from "../../../test/rest/loopback.js";
import { toCall, toOperation } from "../../../test/rest/session.js";
import { failure } from "../../../test/support/failure.js";
import type { CallEvent } from "../../model/call.js";
import { upstreamOptions } from "../options.js";

const { serve, openTo } = setUpSessions();

describe("a response", () => {
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
      "with JSON and a number that a double cannot represent",
      raw("application/json", '{"a":9007199254740993}'),
      text('{"a":9007199254740993}'),
    ],
    ["with a JSON list", raw("application/hal+json", "[1]"), { ...text("[1]"), structuredContent: { result: [1] } }],
    ["with invalid JSON", raw("application/json", "oops"), text("oops")],
    [
      "with JSON that is too deep",
      raw("application/json", `${"[".repeat(600)}${"]".repeat(600)}`),
      text(`${"[".repeat(600)}${"]".repeat(600)}`),
    ],
    ["of text", raw("text/html", "<p>é"), text("<p>é")],
    ["with text in Latin-1", raw("text/plain; charset=iso-8859-1", Buffer.from([0xe9])), text("é")],
    ["with text in an unknown charset", raw("text/plain; charset=klingon", "x"), text("x")],
    ["of XML", raw("application/atom+xml", "<a/>"), text("<a/>")],
    ["without a content type", raw(undefined, "plain"), text("plain")],
    [
      "with an image",
      raw("image/png", Buffer.from([1, 2])),
      { content: [{ type: "image", data: "AQI=", mimeType: "image/png" }] },
    ],
    [
      "with audio",
      raw("audio/ogg", Buffer.from([1])),
      { content: [{ type: "audio", data: "AQ==", mimeType: "audio/ogg" }] },
    ],
    ["without content", raw(undefined, "", 204), text("The API answered with HTTP 204 and no content.")],
  ])("%s", async (_, reply, result) => {
    const api = await serve(reply);
    expect(await (await openTo(api)).callTool(toCall(GET))).toMatchObject(result);
  });

  it("with other bytes becomes a resource whose URI contains no key", async () => {
    const api = await serve(raw("application/pdf", "%PDF"));
    const session = await openTo(api, { auth: { kind: "api-key", in: "query", name: "key", value: "k" } });
    expect((await session.callTool(toCall(GET))).content).toEqual([
      { type: "resource", resource: { uri: `${api.origin}/v1/items`, mimeType: "application/pdf", blob: "JVBERg==" } },
    ]);
  });

  it("to HEAD returns the headers", async () => {
    const api = await serve((_, response) => response.writeHead(200, { "x-total": "7", "set-cookie": "a=b" }).end());
    const { structuredContent } = await (await openTo(api)).callTool(toCall(toOperation({ method: "HEAD" })));
    expect(structuredContent).toMatchObject({ status: 200, headers: { "x-total": "7" } });
    expect(JSON.stringify(structuredContent)).not.toContain("a=b");
  });

  it("with a Location header reports the location", async () => {
    const api = await serve((_, response) => response.writeHead(201, { location: "/v1/items/7" }).end());
    expect((await (await openTo(api)).callTool(toCall(POST))).content[0]?.["text"]).toContain("/v1/items/7");
  });

  it("that is too large fails and reports the call as executed", async () => {
    const api = await serve(raw("text/plain", "x".repeat(5000)));
    const session = await openTo(api, {}, { options: upstreamOptions.parse({ maxMessageBytes: 1024 }) });
    const error = await failure(session.callTool(toCall(POST)));
    expect([error.code, error.executed]).toEqual(["RESULT_TOO_LARGE", "yes"]);
  });
});

describe("a streamed response", () => {
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
  ])("of type %s is reported as progress", async (type, pieces, messages) => {
    const api = await serve(inPieces(type, pieces));
    const events: CallEvent[] = [];
    const result = await (await openTo(api)).callTool(toCall(GET, {}, { onEvent: (event) => events.push(event) }));
    expect(events).toEqual(messages.map((message, index) => ({ kind: "progress", progress: index + 1, message })));
    expect(result.content).toEqual([{ type: "text", text: pieces.join("") }]);
  });

  it("with chunks of text is reported as progress and restarts the idle timeout", async () => {
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

  it("times out if it contains only comments", async () => {
    const api = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write(": still here\n\n"), 20);
      response.on("close", () => clearInterval(timer));
    });
    const began = performance.now();
    const error = await failure((await openTo(api)).callTool(toCall(GET, {}, { timeoutMs: 300 })));
    expect([error.code, error.executed]).toEqual(["TOOL_EXECUTION_TIMEOUT", "unknown"]);
    expect(performance.now() - began).toBeGreaterThan(270);
  });
});

describe("an error response", () => {
  it.each<[string, Reply, string]>([
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
  ])("returns the API message from %s", async (_, reply, message) => {
    const api = await serve(reply);
    const { facts, code } = await failure((await openTo(api)).callTool(toCall(POST)));
    expect([code, facts["status"], facts["api_message"]]).toEqual(["TOOL_EXECUTION_ERROR", 400, message]);
  });

  it.each([{ code: 7 }, { error: [] }])("returns no API message from %j", async (body) => {
    const api = await serve(json(body, 400));
    const { facts } = await failure((await openTo(api)).callTool(toCall(POST)));
    expect([facts["status"], facts["api_message"]]).toEqual([400, undefined]);
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
  ])("with %i reports executed: %s", async (status, executed) => {
    const api = await serve(json({}, status));
    const error = await failure((await openTo(api)).callTool(toCall(POST)));
    expect([error.facts["status"], error.executed]).toEqual([status, executed]);
  });

  it("includes the document's description and the retry delay", async () => {
    const api = await serve(json({ message: "slow down" }, 429, { "retry-after": "30" }));
    const errors = { "429": "Too many requests." };
    const error = await failure((await openTo(api)).callTool(toCall(toOperation({ method: "POST", errors }))));
    expect(error.message).toBe("api answered with an error (HTTP 429): slow down.");
    expect(error.hint).toBe("Call again in 30 s. The API document describes 429 as: Too many requests.");
    expect(error.facts).toEqual({ status: 429, api_message: "slow down", retry_after_ms: 30_000 });
  });

  it("is read only at its beginning, regardless of its length", async () => {
    const api = await serve((_, response) => {
      response.writeHead(400, { "content-type": "text/plain" });
      const more = (): void =>
        void (
          response.destroyed || (response.write("x".repeat(65_536)) ? setImmediate(more) : response.once("drain", more))
        );
      more();
    });
    const error = await failure((await openTo(api)).callTool(toCall(POST)));
    expect([error.facts["status"], String(error.facts["api_message"]).length]).toEqual([400, 500]);
  });

  it("of a tool without an operation sends nothing", async () => {
    const api = await serve();
    const { operation: _, ...call } = toCall(GET);
    expect((await failure((await openTo(api)).callTool(call))).message).toBe(
      "The API operation of the tool api:tool is unknown.",
    );
    expect(api.received).toEqual([]);
  });
});
