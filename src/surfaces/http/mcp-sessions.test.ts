import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { testServer } from "../../../test/support/gateway.js";
import {
  ACCEPT,
  eventsOf,
  type McpCaller,
  type McpSession,
  openMcpSession,
  postMcp,
} from "../../../test/support/mcp-http.js";
import { type Bank, createBank, openRest, PATIENT, type Rest } from "../../../test/support/rest.js";

const hashOf = (token: string): string => `sha256:${createHash("sha256").update(token).digest("hex")}`;
const TOKENS = { ann: "ann-".repeat(10), bob: "bob-".repeat(10), wide: "wide".repeat(10) };

let bank: Bank;
let rest: Rest;
let ann: McpCaller;
let bob: McpCaller;
beforeAll(async () => {
  bank = createBank();
  const tokens = Object.entries(TOKENS).map(([name, token]) => ({ name, hash: hashOf(token), scopes: [] }));
  rest = await openRest({ servers: { ...bank.servers, echo: testServer("echo.mjs") } }, { tokens }, PATIENT);
  ann = { url: rest.url, token: TOKENS.ann };
  bob = { url: rest.url, token: TOKENS.bob };
});
afterAll(async () => {
  await rest.close();
  bank.remove();
});

const headersOf = ({ token }: McpCaller) => ({
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  accept: ACCEPT,
});
const execute = (tool: string, given: object, server = "echo") => ({
  name: "execute_tool",
  arguments: { server, tool, arguments: given },
});

describe("a session", () => {
  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "begins with the handshake of %s",
    async (revision) => {
      const session = await openMcpSession(ann, { revision });
      expect(session.opening.answer.result).toMatchObject({ protocolVersion: revision });
      expect(session.id).toMatch(/^[\w-]{32}$/);
      const { isStream, answer } = await session.ask("tools/call", execute("echo", { text: "hi" }));
      expect([isStream, answer.result?.content?.[0]?.text]).toEqual([true, "hi"]);
    },
  );

  it("has a random id", async () => {
    const ids = new Set<string>();
    for (let count = 0; count < 100; count += 1) {
      ids.add((await postMcp(ann, INITIALIZE)).headers.get("mcp-session-id") ?? "");
    }
    expect(ids.size).toBe(100);
    const columns = Array.from({ length: 32 }, (_, at) => new Set([...ids].map((id) => id[at])).size);
    expect(Math.min(...columns)).toBeGreaterThan(20);
  });

  it("does not begin with an invalid handshake", async () => {
    for (const params of [{}, { protocolVersion: 1 }, { protocolVersion: "2025-06-18", capabilities: [] }]) {
      const { status, headers } = await postMcp(ann, { ...INITIALIZE, params });
      expect([status, headers.get("mcp-session-id")]).toEqual([400, null]);
    }
  });

  it("does not begin under an id that the client has chosen", async () => {
    for (const id of ["chosen", "x".repeat(32), "../../x", ""]) {
      const { status, headers } = await postMcp(ann, INITIALIZE, { "mcp-session-id": id });
      expect(status).toBe(404);
      expect(headers.get("mcp-session-id")).toBe(null);
    }
  });

  it("does not exist for other callers and at other endpoints", async () => {
    const session = await openMcpSession(ann);
    const others: McpCaller[] = [bob, { ...bob, token: TOKENS.wide }, rest, { ...ann, path: "/mcp/gateway" }];
    for (const other of others) {
      const own = { "mcp-session-id": session.id };
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: execute("create", { name: "eve" }, "bank") };
      expect(await postMcp(other, call, own)).toMatchObject({ status: 404, answer: { error: { code: -32001 } } });
      const unknown = await postMcp(other, call, { "mcp-session-id": "x".repeat(32) });
      expect(unknown).toMatchObject({ status: 404, answer: { error: { code: -32001 } } });
      for (const method of ["GET", "DELETE"] as const) {
        const headers = { authorization: `Bearer ${other.token}`, accept: ACCEPT, ...own };
        expect((await fetch(`${other.url}${other.path ?? "/mcp"}`, { method, headers })).status).toBe(404);
      }
    }
    expect(bank.ledger()).toEqual([]);
    expect((await session.ask("tools/list")).status).toBe(200);
  });

  it("ends with DELETE", async () => {
    const session = await openMcpSession(ann);
    expect((await session.request("DELETE")).status).toBe(200);
    expect((await session.ask("tools/list")).status).toBe(404);
    expect((await session.request("GET")).status).toBe(404);
    expect((await session.request("DELETE")).status).toBe(404);
  });

  it("rejects an unknown revision, and a response type that the client does not accept", async () => {
    const session = await openMcpSession(ann);
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect((await session.post(list, { "mcp-protocol-version": "1999-01-01" })).status).toBe(400);
    expect((await session.post(list, { accept: "application/json" })).status).toBe(406);
    expect((await session.post(list, { accept: "text/html" })).status).toBe(406);
    expect((await session.request("GET", { accept: "application/json" })).status).toBe(406);
    expect((await session.post(list)).status).toBe(200);
  });

  it("rejects a second handshake", async () => {
    const session = await openMcpSession(ann);
    expect(await session.post(INITIALIZE)).toMatchObject({ status: 400, answer: { error: { code: -32600 } } });
  });

  it("rejects a response without a request of the gateway", async () => {
    const session = await openMcpSession(ann);
    for (const answer of [
      { id: 1, result: {} },
      { id: 0, result: { action: "accept" } },
      { id: 5, error: { code: 1, message: "" } },
    ]) {
      const { status, answer: rejection } = await session.post({ jsonrpc: "2.0", ...answer });
      expect([status, rejection.error?.code]).toEqual([400, -32600]);
    }
  });

  it("reports ambiguous JSON in arguments to the model, and any other to the client", async () => {
    const session = await openMcpSession(ann);
    const text = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: execute("create", { name: "eve" }, "bank"),
    });
    const inside = await session.post(text.replace('{"name":"eve"}', '{"name":"eve","name":"adam"}'));
    expect([inside.status, inside.answer.result?.isError]).toEqual([200, true]);
    const outside = await session.post(text.replace('"id":1', '"id":1,"id":2'));
    expect([outside.status, outside.answer.error?.code]).toEqual([400, -32600]);
    const note = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"requestId":2}}';
    expect((await session.post(note)).status).toBe(400);
    expect(bank.ledger()).toEqual([]);
  });
});

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

describe("the stream of a session", () => {
  const read = async (session: McpSession, headers: Record<string, string> = {}) => {
    const response = await session.request("GET", headers);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    return response;
  };

  it("can be opened only once at a time, and reopened with any Last-Event-ID", async () => {
    const session = await openMcpSession(ann);
    const first = await read(session);
    expect((await session.request("GET")).status).toBe(409);
    await first.body?.cancel();
    await eventually(async () => {
      const again = await session.request("GET", { "last-event-id": "7" });
      await again.body?.cancel();
      return again.status === 200;
    });
  });

  it("ends with the session", async () => {
    const session = await openMcpSession(ann);
    const stream = await read(session);
    const ended = stream.text();
    await session.request("DELETE");
    expect(eventsOf(await ended)).toEqual([]);
  });
});

describe("calls of a session", () => {
  it("send their progress on their own stream, before the answer", async () => {
    const session = await openMcpSession(ann);
    const call = { ...execute("sleep", { ms: 30, every: 10 }), _meta: { progressToken: "mine" } };
    const { messages } = await session.ask("tools/call", call, "p");
    expect(messages.map(({ method, id }) => method ?? id)).toEqual([...Array(3).fill("notifications/progress"), "p"]);
    expect(messages[0]?.params).toMatchObject({ progressToken: "mine", progress: 10 });
  });

  it("must not use the id of an open request", async () => {
    const session = await openMcpSession(ann);
    const slow = session.ask("tools/call", execute("sleep", { ms: 600_000 }), 4);
    await eventually(async () => (await session.ask("ping", {}, 4)).status === 400);
    await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 4 } });
    await slow;
    expect((await session.ask("ping", {}, 4)).status).toBe(200);
  });

  const cancelled = async (session: McpSession): Promise<number> => {
    const { answer } = await session.ask("tools/call", execute("cancelled", {}), "look");
    return (JSON.parse(answer.result?.content?.[0]?.text ?? "[]") as unknown[]).length;
  };

  it.each([0, 7, "seven", ""])("are cancelled by their id %j and then get no further message", async (id) => {
    const session = await openMcpSession(ann);
    const before = await cancelled(session);
    const params = { ...execute("sleep", { ms: 600_000, every: 5 }), _meta: { progressToken: 1 } };
    const response = await fetch(`${rest.url}/mcp`, {
      method: "POST",
      headers: { ...headersOf(ann), "mcp-session-id": session.id },
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }),
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    // The call is running when the server has sent progress.
    expect((await reader?.read())?.value).toContain("notifications/progress");
    await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    let left = "";
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) left += next.value;
    expect(eventsOf(left).filter(({ method }) => method === undefined)).toEqual([]);
    await eventually(async () => (await cancelled(session)) === before + 1);
  });

  it("are not cancelled by an unknown id or by another session", async () => {
    const [session, other] = [await openMcpSession(ann), await openMcpSession(bob)];
    const before = await cancelled(session);
    const call = session.ask("tools/call", execute("sleep", { ms: 400 }), 9);
    await eventually(async () => (await session.ask("ping", {}, 9)).status === 400);
    await other.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } });
    for (const requestId of ["9", 10, "look"]) {
      await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
    }
    expect((await call).answer.result?.content?.[0]?.text).toBe("slept 400");
    expect(await cancelled(session)).toBe(before);
  });

  it("continue when the client disconnects, which does not cancel a call in a session", async () => {
    const session = await openMcpSession(ann);
    const leaving = new AbortController();
    const gone = fetch(`${rest.url}/mcp`, {
      method: "POST",
      headers: { ...headersOf(ann), "mcp-session-id": session.id },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: execute("create", { name: "slow" }, "bank"),
      }),
      signal: leaving.signal,
    }).catch(() => undefined);
    await eventually(async () => (await session.ask("ping", {}, 1)).status === 400 || bank.ledger().length > 0);
    leaving.abort();
    await gone;
    await eventually(() => bank.ledger().length === 1);
    expect(bank.ledger()).toEqual(['create {"name":"slow"}']);
  });
});

describe("batches", () => {
  const list = (id: number | string) => ({ jsonrpc: "2.0", id, method: "tools/list" });
  const call = (id: number | string, text: string) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: execute("echo", { text }),
  });

  it.each(["2025-11-25", "2025-06-18", "2024-11-05"])("are rejected by %s", async (revision) => {
    const session = await openMcpSession(ann, { revision });
    for (const batch of [[list(1)], [list(1), call(2, "x")], []]) {
      expect(await session.post(batch)).toMatchObject({ status: 400, answer: { error: { code: -32600 } } });
    }
  });

  it("return one error for each message if all messages are invalid", async () => {
    const session = await openMcpSession(ann, { revision: "2025-03-26" });
    const { status, messages } = await session.post([1, { jsonrpc: "1.0", id: 5 }]);
    expect(status).toBe(400);
    expect(messages.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32600],
      [5, -32600],
    ]);
  });

  it("run each message separately in 2025-03-26, and return errors with the other answers", async () => {
    const session = await openMcpSession(ann, { revision: "2025-03-26" });
    const { status, messages } = await session.post([
      call(1, "one"),
      { jsonrpc: "2.0", method: "notifications/nothing" },
      { jsonrpc: "1.0", id: 2 },
      call(1, "again"),
      INITIALIZE,
      call("three", "three"),
      { jsonrpc: "2.0", id: 77, result: {} },
    ]);
    expect(status).toBe(200);
    const outcomes = messages.map(({ id, error, result }) => [id, error?.code ?? result?.content?.[0]?.text]);
    expect(outcomes.toSorted()).toEqual(
      [
        [1, -32600],
        [1, -32600],
        [1, "one"],
        [2, -32600],
        ["three", "three"],
      ].toSorted(),
    );
  });

  it("have 1 to 100 messages", async () => {
    const session = await openMcpSession(ann, { revision: "2025-03-26" });
    expect((await session.post([])).status).toBe(400);
    expect((await session.post(Array.from({ length: 101 }, (_, id) => list(id)))).status).toBe(400);
    const { messages } = await session.post(Array.from({ length: 100 }, (_, id) => list(id)));
    expect(new Set(messages.map(({ id }) => id)).size).toBe(100);
  });

  it("without requests are accepted without an answer, and completely invalid ones are rejected", async () => {
    const session = await openMcpSession(ann, { revision: "2025-03-26" });
    const note = { jsonrpc: "2.0", method: "notifications/nothing" };
    expect(await session.post([note, note])).toMatchObject({ status: 202, messages: [] });
    expect(await session.post([{ jsonrpc: "2.0", id: 1 }, 7])).toMatchObject({ status: 400 });
    expect(await session.post([note, { jsonrpc: "1.0", id: 8 }])).toMatchObject({ status: 200, answer: { id: 8 } });
  });

  it("end when one request is cancelled and the others are answered", async () => {
    const session = await openMcpSession(ann, { revision: "2025-03-26" });
    const slow = { jsonrpc: "2.0", id: "slow", method: "tools/call", params: execute("sleep", { ms: 600_000 }) };
    const both = session.post([slow, call(1, "one")]);
    await eventually(async () => (await session.ask("ping", {}, "slow")).status === 400);
    await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "slow" } });
    expect((await both).messages.map(({ id }) => id).toSorted()).toEqual([1, "slow"]);
  });
});
