import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DiscoveryEngine } from "../../src/engine.js";
import { overPipes } from "../support/asking-clients.js";
import { testServer } from "../support/gateway.js";

let folder: string;
let engine: DiscoveryEngine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "anygpt-identity-"));
  engine = new DiscoveryEngine(
    { servers: { echo: testServer("echo.mjs") } },
    { stateFolder: folder, env: { PATH: process.env["PATH"], HOME: folder } },
  );
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

type Result = Record<string, unknown> & { readonly _meta?: Record<string, { request_id?: string }> };

interface Pipe {
  onmessage: ((message: unknown) => void) | undefined;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
}

/** A client without checks of its own: `echo:rich` returns content of an unknown type, which the SDK rejects. */
function openWire(to: DiscoveryEngine, clientInfo: object, era: "legacy" | "modern") {
  const { transport, hangUp } = overPipes(to);
  const pipe = transport as Pipe;
  const waiting = new Map<unknown, (result: Result) => void>();
  pipe.onmessage = (message) => {
    const { id, result } = message as { id?: unknown; result: Result };
    waiting.get(id)?.(result);
  };
  void pipe.start();
  let lastId = 0;
  const send = (method: string, params: object): Promise<Result> => {
    const id = ++lastId;
    void pipe.send({ jsonrpc: "2.0", id, method, params });
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const capabilities = {};
  const greeted =
    era === "legacy"
      ? send("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo }).then(() =>
          pipe.send({ jsonrpc: "2.0", method: "notifications/initialized" }),
        )
      : Promise.resolve();
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    "io.modelcontextprotocol/clientInfo": clientInfo,
  };
  return {
    hangUp,
    async request(
      method: string,
      { _meta, ...params }: { readonly _meta?: object | undefined; [name: string]: unknown },
    ) {
      await greeted;
      return await send(method, { ...params, _meta: era === "legacy" ? _meta : { ...envelope, ..._meta } });
    },
  };
}

async function recordsOf(id: string | undefined): Promise<Record<string, unknown>[]> {
  const { persistence } = await engine.stages();
  const found = await persistence.store.audit.read({ requestId: id ?? "none" });
  return found.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
}

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/** The result of `echo:rich` as the server sends it, without `_meta`. */
const RICH =
  '{"content":[{"type":"text","text":"words","annotations":{"audience":["user"]}},{"type":"image","data":"AAAA","mimeType":"image/png"},' +
  '{"type":"audio","data":"AAAA","mimeType":"audio/wav"},{"type":"resource_link","uri":"file:///a","name":"a"},{"type":"hologram","beams":3}],' +
  '"structuredContent":{"deep":{"value":[1,null]}},"unheardOf":true}';

it.each(["legacy", "modern"] as const)(
  "a %s client gets the id of its audit record in _meta, and the record names the client and its trace",
  async (era) => {
    const { request, hangUp } = openWire(engine, { name: `${era}-client`, version: "3.1" }, era);
    await request("tools/list", {});
    const call = (tool: string, _meta?: object): Promise<Result> =>
      request("tools/call", { name: "execute_tool", arguments: { server: "echo", tool, arguments: {} }, _meta });

    const { _meta: meta, ...rich } = await call("rich", { traceparent: TRACEPARENT });
    const { resultType: _added, ...unchanged } = rich;
    expect(JSON.stringify(unchanged)).toBe(RICH);
    const { "anygpt/execution": execution, "example.com/trace": own, ...others } = meta ?? {};
    expect(own).toBe("t-1");
    expect(Object.keys(others).filter((name) => name.startsWith("anygpt/"))).toEqual([]);
    expect(execution).toEqual({ request_id: expect.stringMatching(/./) as string });
    const client_name = `${era}-client`;
    const named = { client_name, client_version: "3.1" };
    const traced = { trace_id: "0af7651916cd43dd8448eb211c80319c", span_id: "b7ad6b7169203331" };
    const records = await recordsOf(execution?.request_id);
    expect(records.at(-1)).toMatchObject({ kind: "outcome", tool_id: "echo:rich", outcome: "ok", ...named, ...traced });
    for (const record of records) expect(record).toMatchObject({ ...named, ...traced });

    const failed = await call("fail", { traceparent: "00-invalid" });
    expect(failed["isError"]).toBe(true);
    const [record] = await recordsOf(failed._meta?.["anygpt/execution"]?.request_id);
    expect(record).toMatchObject({ tool_id: "echo:fail", ...named });
    expect(record).not.toHaveProperty("trace_id");

    const refused = await call("no-such-tool");
    expect(refused._meta).not.toHaveProperty("anygpt/execution");
    const [unknown] = await recordsOf(refused._meta?.["anygpt/error"]?.request_id);
    expect(unknown).toMatchObject({ tool_id: "echo:no-such-tool", error_code: "TOOL_NOT_FOUND", ...named });
    await hangUp();
  },
);

it("a call of the library has no client in its record, and its result no id", async () => {
  const result = await engine.executeTool("echo", "echo", { text: "x" });
  expect(result).toEqual({ success: true, result: "x" });
  const { persistence } = await engine.stages();
  const { body } = (await persistence.store.audit.read({ newestFirst: true, limit: 1 }))[0]!;
  expect(JSON.parse(body)).toMatchObject({ surface: "library", tool_id: "echo:echo" });
  expect(body).not.toContain("client_name");
});
