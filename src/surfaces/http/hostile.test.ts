import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { testServer } from "../../../test/support/gateway.js";
import { ACCEPT, modern, openMcpSession, postMcp, REVISION } from "../../../test/support/mcp-http.js";
import { openRest, type Rest } from "../../../test/support/rest.js";

let rest: Rest;
beforeAll(async () => {
  rest = await openRest({ servers: { echo: testServer("echo.mjs") } });
});
afterAll(async () => await rest.close());

const name = fc.oneof(
  fc.constantFrom("echo", "add", "..", "__proto__", "constructor"),
  fc.string({ unit: "grapheme" }),
);
const path = fc.oneof(
  fc
    .tuple(name, name)
    .map(([adapter, tool]) => `/api/adapters/${encodeURIComponent(adapter)}/tools/${encodeURIComponent(tool)}`),
  fc.webPath(),
  fc.tuple(name, fc.webQueryParameters()).map(([q, more]) => `/api/search?q=${encodeURIComponent(q)}&${more}`),
);
const body = fc.oneof(
  fc.json(),
  fc.string({ unit: "binary" }),
  fc.record({ text: fc.jsonValue() }).map((value) => JSON.stringify(value)),
);
const header = fc.stringMatching(/^[\x20-\x7e]{0,40}$/);

it("never answers random requests with an internal error", async () => {
  await fc.assert(
    fc.asyncProperty(path, body, header, fc.boolean(), async (at, sent, key, isPost) => {
      const init = isPost
        ? { method: "POST", body: sent, headers: { "content-type": "application/json", "idempotency-key": key } }
        : { headers: { "x-anygpt-timeout": key } };
      const { status, headers, json } = await rest.ask(at, init);
      expect(status).toBeLessThan(500);
      expect(headers.get("content-type")).toBe(status < 300 ? "application/json" : "application/problem+json");
      expect(Object.keys(json).length).toBeGreaterThan(0);
    }),
    { numRuns: 250 },
  );
  expect((await rest.post("/api/adapters/echo/tools/echo", { text: "still here" })).json["result"]).toBe("still here");
});

const method = fc.constantFrom(
  "initialize",
  "tools/list",
  "tools/call",
  "ping",
  "server/discover",
  "subscriptions/listen",
  "x",
);
const params = fc.oneof(
  fc.jsonValue(),
  fc.record({ name: fc.string(), arguments: fc.jsonValue(), _meta: fc.jsonValue() }, { requiredKeys: [] }),
);
const message = fc.oneof(
  fc.record({ jsonrpc: fc.constant("2.0"), id: fc.jsonValue(), method, params }, { requiredKeys: ["jsonrpc"] }),
  fc.tuple(method, fc.dictionary(fc.string(), fc.jsonValue())).map(([name, given]) => modern(name, given).body),
  fc.record({ jsonrpc: fc.constant("2.0"), id: fc.nat(), result: fc.jsonValue(), error: fc.jsonValue() }),
);
const frame = fc.oneof(
  message.map((one) => JSON.stringify(one)),
  fc.array(message, { maxLength: 4 }).map((all) => JSON.stringify(all)),
  fc.string({ unit: "binary" }),
  fc.tuple(message, fc.nat(200)).map(([one, cut]) => JSON.stringify(one).slice(0, cut)),
);
const heads = fc.record(
  {
    "mcp-protocol-version": fc.oneof(fc.constantFrom(REVISION, "2025-11-25", "2025-03-26"), header),
    "mcp-method": fc.oneof(method, header),
    "mcp-name": header,
    "mcp-session-id": header,
    "last-event-id": header,
    accept: fc.constantFrom(ACCEPT, "application/json", "*/*"),
  },
  { requiredKeys: [] },
);

it("never answers random MCP messages with an internal error, with or without a session", async () => {
  const session = await openMcpSession(rest, { revision: "2025-03-26" });
  const sent = fc.asyncProperty(frame, heads, fc.boolean(), async (text, given, isInSession) => {
    const { status } = await (isInSession ? session.post(text, given) : postMcp(rest, text, given));
    expect(status).toBeLessThan(500);
  });
  await fc.assert(sent, { numRuns: 400 });
  expect((await (await openMcpSession(rest)).ask("tools/list")).status).toBe(200);
});
