import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeFullModeStep } from "../../../metatools/next-steps.js";
import { eventually } from "../../../../test/support/eventually.js";
import { collectGarbage } from "../../../../test/support/garbage.js";
import { testServer } from "../../../../test/support/gateway.js";
import { ACCEPT, type McpReply, modern, readReply } from "../../../../test/support/mcp-http.js";
import type { Stages } from "../../../gateway/stages.js";
import { DiscoveryEngine } from "../../../engine.js";
import type { Actor } from "../../../model/actor.js";
import type { JsonObject } from "../../../model/json.js";
import type { Endpoint } from "./endpoint.js";
import { createMcpOverHttp, type McpOverHttp, type McpOverHttpParts } from "./over-http.js";

const ANN: Actor = { id: "token:ann", surface: "mcp", scopes: ["a", "b"] };

let folder: string;
let engine: DiscoveryEngine;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "anygpt-over-http-"));
  engine = new DiscoveryEngine(
    { servers: { echo: testServer("echo.mjs") }, execution: { resultLimit: 1024 } },
    { cwd: folder, env: { HOME: folder, PATH: process.env["PATH"] ?? "" }, stateFolder: join(folder, "state") },
  );
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

function createWith(parts: Partial<McpOverHttpParts> = {}): McpOverHttp {
  return createMcpOverHttp({
    stagesFor: () => engine.known(),
    onToolsChanged: () => undefined,
    elapsed: () => 0,
    most: 100,
    idleMs: 1000,
    ...parts,
  });
}

interface Sent {
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly actor?: Actor;
  readonly endpoint?: Endpoint;
  readonly lifeMs?: number;
}

async function send(over: McpOverHttp, sent: Sent): Promise<McpReply> {
  return await readReply(await respond(over, sent));
}

async function respond(over: McpOverHttp, sent: Sent): Promise<Response> {
  const { body, headers = {}, method = "POST", actor = ANN, endpoint = { kind: "default" } } = sent;
  const request = new Request("http://localhost/mcp", {
    method,
    headers: { accept: ACCEPT, "content-type": "application/json", ...headers },
  });
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const life = sent.lifeMs === undefined ? {} : { lifeMs: sent.lifeMs };
  const response = await over.serve({ request, body: bytes, endpoint, actor, ...life });
  return response ?? new Response(null, { status: 410 });
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

async function begin(over: McpOverHttp, actor: Actor = ANN): Promise<Record<string, string>> {
  const { headers } = await send(over, { body: INITIALIZE, actor });
  return { "mcp-session-id": headers.get("mcp-session-id") ?? "" };
}

it("ends a session at its idle timeout, and not before", async () => {
  let now = 0;
  const over = createWith({ elapsed: () => now });
  const headers = await begin(over);
  now = 999;
  over.sweep();
  expect((await send(over, { body: LIST, headers })).status).toBe(200);
  now = 1998;
  over.sweep();
  expect(over.sessions).toBe(1);
  now = 1999;
  over.sweep();
  expect(over.sessions).toBe(0);
  expect((await send(over, { body: LIST, headers })).status).toBe(404);
  await over.close();
});

it("limits the number of abandoned sessions, and ends them all at the idle timeout", async () => {
  let now = 0;
  const over = createWith({ elapsed: () => now, most: 50 });
  for (let count = 0; count < 300; count += 1) await begin(over, { ...ANN, id: `token:${count % 5}` });
  expect(over.sessions).toBe(50);
  now = 5000;
  over.sweep();
  expect(over.sessions).toBe(0);
  await over.close();
});

it("does not exceed the maximum of sessions when many are opened at once", async () => {
  const over = createWith({ most: 4 });
  await Promise.all(Array.from({ length: 20 }, (_, count) => begin(over, { ...ANN, id: `token:${count % 5}` })));
  expect(over.sessions).toBeLessThanOrEqual(4);
  await over.close();
});

it.each<[string, Partial<Sent>]>([
  ["another actor", { actor: { ...ANN, id: "token:bob" } }],
  ["the same actor with fewer scopes", { actor: { ...ANN, scopes: ["a"] } }],
  ["the same actor with other scopes", { actor: { ...ANN, scopes: ["a", "c"] } }],
  ["the same actor with a view", { actor: { ...ANN, view: "office" } }],
  ["the local actor", { actor: { id: "local", surface: "mcp" } }],
  ["the same actor at another endpoint", { endpoint: { kind: "view", view: "office" } }],
])("answers 404 for the session to %s", async (_, other) => {
  const over = createWith();
  const headers = await begin(over);
  for (const sent of [{ body: LIST }, { method: "GET" }, { method: "DELETE" }]) {
    expect((await send(over, { ...sent, headers, ...other })).status).toBe(404);
  }
  expect((await send(over, { body: LIST, headers, actor: { ...ANN, scopes: ["b", "a"] } })).status).toBe(200);
  await over.close();
});

it("returns no response to an actor without access to the endpoint, in either era", async () => {
  const over = createWith({ stagesFor: () => Promise.resolve(undefined) });
  const { body, headers } = modern("tools/list");
  expect((await send(over, { body, headers })).status).toBe(410);
  expect((await send(over, { body: INITIALIZE })).status).toBe(410);
  await over.close();
});

it("returns no response when the endpoint is removed during a session", async () => {
  let exists = true;
  const over = createWith({ stagesFor: () => (exists ? engine.known() : Promise.resolve(undefined)) });
  const headers = await begin(over);
  exists = false;
  expect((await send(over, { body: LIST, headers })).status).toBe(410);
  await over.close();
});

it("keeps no session after a failed handshake", async () => {
  const over = createWith();
  expect((await send(over, { body: { ...INITIALIZE, params: {} } })).status).toBe(400);
  expect(over.sessions).toBe(0);
  await over.close();
});

it("ends notification streams when the token expires, or by endStreams", async () => {
  const over = createWith({ stagesFor: async () => ({ ...(await engine.known()), offered: NOT_FIXED }) });
  const headers = await begin(over);
  const { body, headers: heads } = modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, "sub");
  const streams = (lifeMs?: number) => {
    const life = lifeMs === undefined ? {} : { lifeMs };
    return [send(over, { method: "GET", headers, ...life }), send(over, { body, headers: heads, ...life })];
  };
  // Each resolves when its stream has ended.
  for (const reply of await Promise.all(streams(20))) expect(reply.status).toBe(200);
  let isOver = false;
  const ended = Promise.all(streams()).finally(() => (isOver = true));
  await eventually(() => (over.endStreams(), isOver));
  const [standalone, listening] = await ended;
  expect(standalone?.messages).toEqual([]);
  expect(listening?.messages.at(-1)?.id).toBe("sub");
  expect((await send(over, { body: LIST, headers })).status).toBe(200);
  await over.close();
});

it("does not keep the first request or the first configuration of a session in memory", async () => {
  let known: Stages | undefined;
  const over = createWith({ stagesFor: async () => known });
  const beginHeld = async (): Promise<[Record<string, string>, WeakRef<object>[]]> => {
    const current = await engine.known();
    const offered = { ...current.offered };
    known = { ...current, offered };
    const headers = { accept: ACCEPT, "content-type": "application/json" };
    const request = new Request("http://localhost/mcp", { method: "POST", headers });
    const body = Buffer.from(JSON.stringify(INITIALIZE));
    const held = [request, body, offered, known].map((one) => new WeakRef<object>(one));
    const response = await over.serve({ request, body, endpoint: { kind: "default" }, actor: ANN });
    await response?.text();
    return [{ "mcp-session-id": response?.headers.get("mcp-session-id") ?? "" }, held];
  };
  const [headers, held] = await beginHeld();
  known = await engine.known();
  await eventually(() => {
    collectGarbage();
    return held.every((one) => one.deref() === undefined);
  });
  expect((await send(over, { body: LIST, headers })).status).toBe(200);
  await over.close();
});

it("causes no process warning when a session has many calls in progress", async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", onWarning);
  const over = createWith();
  const headers = await begin(over);
  const params = { name: "execute_tool", arguments: { server: "echo", tool: "sleep", arguments: { ms: 50 } } };
  const calls = Array.from({ length: 14 }, (_, id) =>
    send(over, { body: { jsonrpc: "2.0", id: id + 2, method: "tools/call", params }, headers }),
  );
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
  await over.close();
});

it("returns the pages of a truncated result only to the actor of the call", async () => {
  const over = createWith();
  const ask = async (method: string, params: JsonObject, actor: Actor) => {
    const { body, headers } = modern(method, params);
    return (await send(over, { body, headers, actor })).answer;
  };
  const call = { server: "echo", tool: "echo", arguments: { text: "treasure".repeat(1000) } };
  const { result } = await ask("tools/call", { name: "execute_tool", arguments: call }, ANN);
  const { id } = (result as { _meta: { "anygpt/result": { id: string } } })["_meta"]["anygpt/result"];
  const uri = `anygpt://results/${id}/1`;
  const [theirs, never] = await Promise.all(
    [uri, uri.replace(/[^/]+\/1$/, "aaaaaaaaaaaa/1")].map((one) =>
      ask("resources/read", { uri: one }, { ...ANN, id: "token:bob" }),
    ),
  );
  // Apart from the id that was asked for, the answer is the same as for a result that never existed.
  const withoutId = (reply: typeof theirs) => reply?.error?.message?.replace(/the id "[^"]+"/, "the id");
  expect(withoutId(theirs)).toContain("No stored result has the id");
  expect(withoutId(theirs)).toBe(withoutId(never));
  expect(JSON.stringify(theirs)).not.toContain("treasure");
  expect(JSON.stringify(await ask("resources/read", { uri }, ANN))).toContain("treasure");
  await over.close();
});

it("notifies clients of either era of changed tools, but not of changes outside their view", async () => {
  const tools = (...names: string[]) => new Map(names.map((id) => [id, { id, hash: id, enabled: true }] as const));
  let seen = tools("a:one");
  let change = (): void => undefined;
  const over = createWith({
    onToolsChanged: (listener) => (change = listener),
    async stagesFor() {
      const snapshot = () => ({ servers: new Map(), tools: seen });
      return { ...(await engine.known()), offered: NOT_FIXED, snapshot } as unknown as Stages;
    },
  });
  const actor = { ...ANN, view: "office" };
  const session = { ...(await begin(over, actor)), "mcp-protocol-version": "2025-11-25" };
  const { body, headers } = modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, "sub");
  const streams = await Promise.all([
    respond(over, { method: "GET", headers: session, actor }),
    respond(over, { body, headers, actor }),
  ]);
  const texts = ["", ""];
  const read = streams.map(async ({ body: chunks }, index) => {
    for await (const chunk of chunks ?? []) texts[index] += Buffer.from(chunk).toString();
  });
  const isNotified = (text: string): boolean => text.includes("list_changed");
  change();
  seen = tools("a:one");
  // The first state of the view is read before the answer to the next request.
  await send(over, { ...modern("tools/list"), actor });
  change();
  seen = tools("a:one", "a:two");
  change();
  await eventually(() => texts.every(isNotified));
  over.endStreams();
  await Promise.all(read);
  for (const text of texts) expect(text.split("list_changed")).toHaveLength(2);
  await over.close();
});

const NOT_FIXED = {
  isFixed: false,
  page: () => ({ tools: [] }),
  find: () => undefined,
  names: [],
  describeStep: describeFullModeStep,
};
