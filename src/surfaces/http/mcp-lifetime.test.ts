import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { testServer } from "../../../test/support/gateway.js";
import { askModern, eventsOf, modern, openMcpSession, postMcp } from "../../../test/support/mcp-http.js";
import { openRest, type Rest } from "../../../test/support/rest.js";

const opened: Rest[] = [];
const open: typeof openRest = async (...parts) => {
  const rest = await openRest(...parts);
  opened.push(rest);
  return rest;
};
afterEach(async () => {
  for (const rest of opened.splice(0)) await rest.close();
});

async function openGate(graceMs = 10_000) {
  const rest = await open({ servers: { gate: testServer("gate.mjs"), echo: testServer("echo.mjs") } }, { graceMs });
  const file = join(rest.folder, "go");
  const hold = { name: "execute_tool", arguments: { server: "gate", tool: "hold", arguments: { file } } };
  const held = async (): Promise<number> =>
    Number((await rest.post("/api/adapters/gate/tools/held", {})).json["result"]);
  return { rest, hold, held, go: () => writeFileSync(file, "") };
}

/** A subscription of the stateless era. */
async function listen({ url, token }: Rest): Promise<Response> {
  const { body, headers } = modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, "sub");
  return await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "text/event-stream",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

describe("a gateway that is stopped", () => {
  it("lets calls of both eras finish, ends notification streams, and accepts no new request", async () => {
    const { rest, hold, held, go } = await openGate();
    await rest.engine.stages();
    const session = await openMcpSession(rest);
    const stream = await session.request("GET");
    const calls = [askModern(rest, "tools/call", hold), session.ask("tools/call", hold)];
    await eventually(async () => (await held()) === 2);
    const late = connect(rest.port, "127.0.0.1");
    await once(late, "connect");
    late.write("POST /mcp HTTP/1.1\r\nHost: localhost\r\n");
    rest.stop.abort();
    expect(eventsOf(await stream.text())).toEqual([]);
    late.write(`Authorization: Bearer ${rest.token}\r\nContent-Length: 0\r\n\r\n`);
    expect(String((await once(late, "data"))[0])).toMatch(/^HTTP\/1\.1 503 /);
    go();
    for (const call of calls) expect((await call).answer.result?.content?.[0]?.text).toMatch(/^gate \d+$/);
    await rest.served;
  });

  it("cancels calls of both eras after the grace period, with an unknown outcome", async () => {
    const { rest, hold, held } = await openGate(0);
    const session = await openMcpSession(rest);
    const calls = [askModern(rest, "tools/call", hold), session.ask("tools/call", hold)];
    await eventually(async () => (await held()) === 2);
    rest.stop.abort();
    for (const call of calls) {
      const { answer } = await call;
      expect(answer.result?.isError).toBe(true);
      expect(answer.result?.content?.[0]?.text).toMatch(/"code":"CANCELLED".*"executed":"unknown"/);
    }
    await rest.served;
  });

  it("answers a subscriptions/listen request at the end of its stream", async () => {
    const rest = await open({ servers: { echo: testServer("echo.mjs") }, mode: "full" });
    const listening = await listen(rest);
    const text = listening.text();
    rest.stop.abort();
    const messages = eventsOf(await text);
    expect(messages.map(({ method, id }) => method ?? id)).toEqual(["notifications/subscriptions/acknowledged", "sub"]);
    await rest.served;
  });
});

describe("notifications of changed tools", () => {
  it("reach sessions and subscriptions in full mode", async () => {
    const rest = await open({ servers: { echo: testServer("echo.mjs") }, mode: "full" });
    const session = await openMcpSession(rest);
    const stream = await session.request("GET");
    const listening = await listen(rest);
    const changed = (response: Response) => readUntil(response, "notifications/tools/list_changed");
    const notified = [changed(stream), changed(listening)];
    // The first list request starts the server, which makes its tools known.
    await session.ask("tools/list");
    await rest.engine.reload();
    for (const one of notified) expect(await one).toContain("notifications/tools/list_changed");
  });
});

async function readUntil(response: Response, text: string): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let read = "";
  while (!read.includes(text)) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    read += value;
  }
  await reader?.cancel();
  return read;
}

describe("a stateless caller that disconnects", () => {
  it("cancels its call, and no other with the same id", async () => {
    const rest = await open({ servers: { echo: testServer("echo.mjs") } });
    const sleep = (ms: number, every: number) => ({
      name: "execute_tool",
      arguments: { server: "echo", tool: "sleep", arguments: { ms, every } },
      _meta: { progressToken: 1 },
    });
    const stays = askModern(rest, "tools/call", sleep(1500, 50), 1);
    const { body, headers } = modern("tools/call", sleep(600_000, 10), 1);
    const leaving = new AbortController();
    const response = await fetch(`${rest.url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${rest.token}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    leaving.abort();
    const cancelled = async () =>
      (await rest.post("/api/adapters/echo/tools/cancelled", {})).json["result"] as unknown[];
    await eventually(async () => (await cancelled()).length === 1);
    expect((await stays).answer.result?.content?.[0]?.text).toBe("slept 1500");
    expect(await cancelled()).toHaveLength(1);
  });
});

describe("a stateless caller that disconnects before the first message", () => {
  it("cancels its call as well", async () => {
    const rest = await open({ servers: { echo: testServer("echo.mjs") } });
    await rest.post("/api/adapters/echo/tools/echo", { text: "warm" });
    const given = { server: "echo", tool: "sleep", arguments: { ms: 600_000 } };
    const { body, headers } = modern("tools/call", { name: "execute_tool", arguments: given });
    const leaving = new AbortController();
    const left = fetch(`${rest.url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${rest.token}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: leaving.signal,
    }).catch(() => undefined);
    const { persistence } = await rest.engine.known();
    const bodies = async () =>
      (await persistence.store.audit.read({ after: 0, limit: 100 })).map((one) => one.body).join();
    await eventually(async () => (await bodies()).includes('"kind":"intent"'));
    leaving.abort();
    await left;
    await eventually(async () => (await bodies()).includes("CANCELLED"));
    expect(await bodies()).toContain("echo:sleep");
  });
});

describe("sessions", () => {
  it("above the maximum end idle sessions, but none in use", async () => {
    const rest = await open({ servers: { echo: testServer("echo.mjs") } }, { sessions: { most: 3, idleMs: 60_000 } });
    const used = await openMcpSession(rest);
    const stream = await used.request("GET");
    const idle = await openMcpSession(rest);
    for (let count = 0; count < 5; count += 1) await openMcpSession(rest);
    expect((await idle.ask("tools/list")).status).toBe(404);
    expect((await used.ask("tools/list")).status).toBe(200);
    await stream.body?.cancel();
  });

  it("are rejected if the maximum is reached and all are in use", async () => {
    const rest = await open({ servers: { echo: testServer("echo.mjs") } }, { sessions: { most: 1, idleMs: 60_000 } });
    const used = await openMcpSession(rest);
    const stream = await used.request("GET");
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    const { status, headers } = await postMcp(rest, { jsonrpc: "2.0", id: 0, method: "initialize", params });
    expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
    await stream.body?.cancel();
  });
});
