import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { expectDuration } from "../support/cost.js";
import { DiscoveryError } from "../../src/errors.js";
import type { RestConnection } from "../../src/model/server.js";
import type { UpstreamTarget } from "../../src/upstreams/types.js";
import { createRandom } from "../faults/support/random.js";
import { openUpstreams } from "../support/upstreams.js";
import { json, listen, type Loopback, type Reply } from "./loopback.js";
import { open, parameter, toCall, toConnection, toOperation } from "./session.js";

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

async function serve(reply?: Reply): Promise<Loopback> {
  const api = await listen(reply);
  ending.push(() => api.stop());
  return api;
}

/** The effects of each call, counted at the server. */
function createLedger(): { readonly done: Map<string, number>; note(url: string): void } {
  const done = new Map<string, number>();
  return { done, note: (url) => void done.set(url, (done.get(url) ?? 0) + 1) };
}

const CHARGE = toOperation({ method: "POST", path: "/charges/{id}", parameters: [parameter("path", "id")] });

describe("a connection that breaks (H3)", () => {
  const ways: [string, (response: ServerResponse) => void][] = [
    ["by a reset before the response headers", (response) => response.socket?.resetAndDestroy()],
    ["by an end before the response headers", (response) => response.socket?.end()],
    [
      "by a reset in the body",
      (response) =>
        response.writeHead(200, { "content-length": "10" }).write("abc", () => response.socket?.resetAndDestroy()),
    ],
    ["by an end in the body", (response) => response.writeHead(200).write("abc", () => response.socket?.end())],
  ];

  it.each(
    ways.flatMap(([way, breakOff]) =>
      [true, false].map((isDone) => [way, isDone ? "after" : "before", breakOff, isDone] as const),
    ),
  )("%s, %s the side effect, fails fast and runs nothing twice", async (_way, _when, breakOff, isDone) => {
    const ledger = createLedger();
    const api = await serve((received, response) => {
      if (isDone) ledger.note(received.url);
      breakOff(response);
    });
    const session = await open({ baseUrl: api.origin });
    ending.push(() => session.close());
    for (let call = 0; call < 25; call++) {
      const error: unknown = await session.callTool(toCall(CHARGE, { id: call })).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DiscoveryError);
      expect(error).toMatchObject({ code: "TOOL_EXECUTION_ERROR", executed: "unknown" });
    }
    expect(api.received.length).toBe(25);
    expect([...ledger.done.values()].filter((times) => times > 1)).toEqual([]);
    const whole = await open({ baseUrl: (await serve(json({}))).origin });
    ending.push(() => whole.close());
    const callFiveTimes = (target: typeof session) => async () => {
      for (let id = 0; id < 5; id++) await target.callTool(toCall(CHARGE, { id })).catch(() => undefined);
    };
    await expectDuration(callFiveTimes(session), { maxRatio: 20, control: callFiveTimes(whole) });
  });
});

describe("a server that closes idle connections at random (H18)", () => {
  it("runs each of 1,000 calls once, whenever connections close", async () => {
    const random = createRandom(18);
    const ledger = createLedger();
    const api = await serve((received, response) => {
      ledger.note(`${received.method} ${received.url}`);
      json({})(received, response);
      // At once, or while the next request is being sent.
      if (random.chance(0.5)) response.once("finish", () => setImmediate(() => response.socket?.destroy()));
    });
    const session = await open({ baseUrl: api.origin });
    ending.push(() => session.close());
    const read = { ...CHARGE, method: "GET" };
    let failed = 0;
    for (let first = 0; first < 1000; first += 10) {
      await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const id = first + index;
          if (id % 2 === 1) await session.callTool(toCall(read, { id })).catch(() => undefined);
          else await session.callTool(toCall(CHARGE, { id })).catch(() => (failed += 1));
        }),
      );
    }
    const charges = [...ledger.done].filter(([what]) => what.startsWith("POST"));
    expect([charges.length, charges.filter(([, times]) => times > 1), failed]).toEqual([500, [], 0]);
  });
});

describe("a server that answers slowly or never (H5)", () => {
  it.each<[string, Reply, Partial<{ timeoutMs: number; maxTotalMs: number }>]>([
    ["without response headers", () => undefined, { timeoutMs: 400 }],
    ["byte by byte", drip("application/json", "1"), { timeoutMs: 400 }],
    ["with comments only", drip("text/event-stream", ":\n\n"), { timeoutMs: 400 }],
    ["with endless events", drip("text/event-stream", "data: x\n\n"), { timeoutMs: 400, maxTotalMs: 800 }],
  ])("%s, is disconnected at the timeout", async (_, reply, limits) => {
    const api = await serve(reply);
    const session = await open({ baseUrl: api.origin });
    ending.push(() => session.close());
    const began = performance.now();
    const error: unknown = await session.callTool(toCall(CHARGE, { id: 1 }, limits)).catch((thrown: unknown) => thrown);
    const limit = limits.maxTotalMs ?? limits.timeoutMs ?? 0;
    expect(error).toMatchObject({ code: "TOOL_EXECUTION_TIMEOUT", executed: "unknown", facts: { limitMs: limit } });
    expect(performance.now() - began).toBeGreaterThan(limit * 0.9);
  });

  function drip(type: string, piece: string): Reply {
    return (_, response) => {
      response.writeHead(200, { "content-type": type });
      const timer = setInterval(() => response.write(piece), 25);
      response.on("close", () => clearInterval(timer));
    };
  }
});

describe("among other servers", () => {
  function targetTo(connection: Partial<RestConnection>): UpstreamTarget {
    return { name: "api", connection: () => toConnection(connection) };
  }

  function openAll(parts: Parameters<typeof openUpstreams>[1] = {}) {
    const upstreams = openUpstreams({}, parts);
    ending.push(() => upstreams.close());
    return upstreams;
  }

  it("an API is listed, called, kept open and closed like an MCP server", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rest-"));
    ending.push(() => rmSync(folder, { recursive: true }));
    const document = join(folder, "api.json");
    writeFileSync(document, "{}");
    let converted = 0;
    const tools = [{ name: "charge", inputSchema: {}, operation: CHARGE }];
    const convertDocument = async () => ({ tools, dropped: [], truncated: false, title: `Read ${(converted += 1)}` });
    const api = await serve(json({ id: 7 }));
    const upstreams = openAll({ convertDocument });
    const target = targetTo({ document, baseUrl: api.origin });
    expect((await upstreams.list(target)).tools).toEqual(tools);
    expect(upstreams.state("api").kind).toBe("closed");
    expect((await upstreams.list(target)).title).toBe("Read 1");
    const result = await upstreams.call(target, toCall(CHARGE, { id: 1 }));
    expect(result.structuredContent).toEqual({ id: 7 });
    expect(upstreams.state("api")).toMatchObject({ kind: "open", era: "modern" });
  });

  it("an API's credentials appear in no error, even short ones", async () => {
    const api = await serve(json({ message: "the key Hunter-22 is wrong" }, 400));
    const upstreams = openAll({ convertDocument: async () => ({ tools: [], dropped: [], truncated: false }) });
    const target = targetTo({
      baseUrl: api.origin,
      auth: { kind: "api-key", in: "header", name: "X-Key", value: "Hunter-22" },
    });
    const error = (await upstreams
      .call(target, toCall(CHARGE, { id: 1 }))
      .catch((thrown: unknown) => thrown)) as DiscoveryError;
    expect(JSON.stringify([error.message, error.facts, error.hint, String(error.cause)])).not.toContain("Hunter");
    expect(error.facts["status"]).toBe(400);
  });

  it("an API with an unreadable document is a configuration error", async () => {
    const error: unknown = await openAll()
      .list(targetTo({}))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "CONFIGURATION_ERROR" });
  });

  it("a running call ends when its caller cancels", async () => {
    const api = await serve(() => undefined);
    const upstreams = openAll({ convertDocument: async () => ({ tools: [], dropped: [], truncated: false }) });
    const abort = new AbortController();
    const { signal } = abort;
    const calling = upstreams.call(targetTo({ baseUrl: api.origin }), toCall(CHARGE, { id: 1 }, { signal }));
    api.reply = (_, response) => {
      const closed = once(response, "close");
      abort.abort();
      return closed;
    };
    await expect(calling).rejects.toMatchObject({ code: "CANCELLED", executed: "unknown" });
  });
});
