import { ProtocolError, type Server } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.js";
import type { RequestContext } from "./request-context.js";
import { type FastPathResponse, createFastPath, type FastPathParts } from "./fast-path.js";

function open(callTool: FastPathParts["callTool"], isGreeted = true) {
  const told: unknown[] = [];
  const sent: FastPathResponse[] = [];
  const waiting: (() => void)[] = [];
  const server = {
    getClientCapabilities: () => (isGreeted ? {} : undefined),
    request: (request: unknown) => (told.push(request), Promise.resolve({ action: "accept" })),
    notification: (notification: unknown) => (told.push(notification), Promise.resolve()),
  } as unknown as Server;
  const send = (answer: FastPathResponse): void => {
    sent.push(answer);
    for (const wake of waiting.splice(0)) wake();
  };
  const logged: string[] = [];
  const way = createFastPath({ server, callTool, send, log: (message) => logged.push(message) });
  const take = (params: JsonObject | undefined, method = "tools/call"): boolean =>
    way.take({ jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) });
  const answered = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  return { way, take, sent, told, logged, answered };
}

const DEFECT = { code: -32_603, message: "Internal error in the gateway. Its log has the details." };

const describeThrown = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

const never = (): Promise<JsonObject> => new Promise(() => undefined);

describe("a request", () => {
  it.each<[string, JsonObject | undefined, string, boolean]>([
    ["another method", {}, "tools/list", true],
    ["a call before the handshake is over", { name: "t" }, "tools/call", false],
    ["no parameters", undefined, "tools/call", true],
    ["parameters that nobody knows", { name: "t", task: {} }, "tools/call", true],
    ["answers of another round", { name: "t", inputResponses: {} }, "tools/call", true],
    ["an envelope", { name: "t", _meta: { "io.modelcontextprotocol/protocolVersion": "x" } }, "tools/call", true],
    ["metadata that is no object", { name: "t", _meta: 1 }, "tools/call", true],
  ])("with %s is left to the SDK", (_, params, method, isGreeted) => {
    expect(open(never, isGreeted).take(params, method)).toBe(false);
  });

  it("to call a tool is answered with what comes of it, unchanged", async () => {
    const result = { content: [], unknown: { kept: true } };
    const { take, sent, answered } = open(() => Promise.resolve(result));
    expect(take({ name: "t", arguments: { a: 1 }, _meta: { progressToken: 7, own: 1 } })).toBe(true);
    await answered();
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result }]);
  });

  it.each<[string, unknown, { code: number; message: string; data?: unknown }]>([
    [
      "a protocol error",
      new ProtocolError(-32_602, "no", { why: 1 }),
      { code: -32_602, message: "no", data: { why: 1 } },
    ],
    ["a defect", new TypeError("boom"), DEFECT],
    ["an error of the system", Object.assign(new Error("odd"), { code: "EPIPE", errno: -32 }), DEFECT],
    ["nothing at all", undefined, DEFECT],
  ])("that fails with %s gets the error", async (_, thrown, error) => {
    const { take, sent, logged, answered } = open(() => Promise.reject(thrown));
    take({ name: "t" });
    await answered();
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, error }]);
    expect(logged.join()).toContain(error === DEFECT ? describeThrown(thrown) : "");
    expect(logged).toHaveLength(error === DEFECT ? 1 : 0);
  });
});

describe("a call whose client no longer waits", () => {
  it.each<[string, (way: ReturnType<typeof createFastPath>) => void]>([
    ["cancelled", (way) => way.cancel(1)],
    ["of a client that is gone", (way) => way.close()],
  ])("%s, is aborted and not answered", async (_, end) => {
    let seen: RequestContext | undefined;
    let finish: (result: JsonObject) => void = () => undefined;
    const { way, take, sent } = open((_params, context) => {
      seen = context;
      return new Promise((resolve) => (finish = resolve));
    });
    take({ name: "t" });
    expect(seen?.mcpReq.signal.aborted).toBe(false);
    end(way);
    expect(seen?.mcpReq.signal.aborted).toBe(true);
    finish({});
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual([]);
  });

  it("does not end the next one with its id", () => {
    const seen: AbortSignal[] = [];
    const { way, take } = open((_params, { mcpReq }) => (seen.push(mcpReq.signal), never()));
    take({ name: "t" });
    way.cancel(1);
    take({ name: "t" });
    expect(seen.map(({ aborted }) => aborted)).toEqual([true, false]);
    way.cancel(1);
    expect(seen.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});

it("the handler can send requests and notifications to the client", async () => {
  const { take, told, sent, answered } = open(async (_params, { mcpReq }) => {
    await mcpReq.notify({ method: "notifications/progress", params: {} });
    return { said: await mcpReq.send({ method: "elicitation/create", params: {} } as never) };
  });
  take({ name: "t" });
  await answered();
  expect(told).toEqual([
    { method: "notifications/progress", params: {} },
    { method: "elicitation/create", params: {} },
  ]);
  expect(sent).toMatchObject([{ result: { said: { action: "accept" } } }]);
});
