import { ProtocolError, type Server } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.js";
import type { RequestContext } from "./request-context.js";
import { type FastPathResponse, createFastPath, type FastPathParts } from "./fast-path.js";

function open(callTool: FastPathParts["callTool"], isInitialized = true) {
  const toClient: unknown[] = [];
  const sent: FastPathResponse[] = [];
  const waiting: (() => void)[] = [];
  const server = {
    getClientCapabilities: () => (isInitialized ? {} : undefined),
    request: (request: unknown) => (toClient.push(request), Promise.resolve({ action: "accept" })),
    notification: (notification: unknown) => (toClient.push(notification), Promise.resolve()),
  } as unknown as Server;
  const send = (answer: FastPathResponse): void => {
    sent.push(answer);
    for (const wake of waiting.splice(0)) wake();
  };
  const logged: string[] = [];
  const fastPath = createFastPath({ server, callTool, send, log: (message) => logged.push(message) });
  const take = (params: JsonObject | undefined, method = "tools/call"): boolean =>
    fastPath.take({ jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) });
  const answered = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  return { fastPath, take, sent, toClient, logged, answered };
}

const DEFECT = { code: -32_603, message: "Internal error in the gateway. The gateway's log has the details." };

const describeThrown = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

const never = (): Promise<JsonObject> => new Promise(() => undefined);

describe("the fast path", () => {
  it.each<[string, JsonObject | undefined, string, boolean]>([
    ["for another method", {}, "tools/list", true],
    ["before the handshake is complete", { name: "t" }, "tools/call", false],
    ["without parameters", undefined, "tools/call", true],
    ["with unknown parameters", { name: "t", task: {} }, "tools/call", true],
    ["with inputResponses", { name: "t", inputResponses: {} }, "tools/call", true],
    [
      "with members of an envelope in _meta",
      { name: "t", _meta: { "io.modelcontextprotocol/protocolVersion": "x" } },
      "tools/call",
      true,
    ],
    ["with _meta that is not an object", { name: "t", _meta: 1 }, "tools/call", true],
  ])("leaves a request %s to the SDK", (_, params, method, isInitialized) => {
    expect(open(never, isInitialized).take(params, method)).toBe(false);
  });

  it("answers a call with the unchanged result of the tool", async () => {
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
    ["a system error", Object.assign(new Error("odd"), { code: "EPIPE", errno: -32 }), DEFECT],
    ["undefined", undefined, DEFECT],
  ])("answers a call that fails with %s with an error", async (_, thrown, error) => {
    const { take, sent, logged, answered } = open(() => Promise.reject(thrown));
    take({ name: "t" });
    await answered();
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, error }]);
    expect(logged.join()).toContain(error === DEFECT ? describeThrown(thrown) : "");
    expect(logged).toHaveLength(error === DEFECT ? 1 : 0);
  });
});

describe("cancellation", () => {
  it.each<[string, (fastPath: ReturnType<typeof createFastPath>) => void]>([
    ["that is cancelled", (fastPath) => fastPath.cancel(1)],
    ["of a closed connection", (fastPath) => fastPath.close()],
  ])("aborts a call %s and does not answer it", async (_, end) => {
    let seen: RequestContext | undefined;
    let finish: (result: JsonObject) => void = () => undefined;
    const { fastPath, take, sent } = open((_params, context) => {
      seen = context;
      return new Promise((resolve) => (finish = resolve));
    });
    take({ name: "t" });
    expect(seen?.mcpReq.signal.aborted).toBe(false);
    end(fastPath);
    expect(seen?.mcpReq.signal.aborted).toBe(true);
    finish({});
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual([]);
  });

  it("of a call does not abort a later call with the same id", () => {
    const seen: AbortSignal[] = [];
    const { fastPath, take } = open((_params, { mcpReq }) => (seen.push(mcpReq.signal), never()));
    take({ name: "t" });
    fastPath.cancel(1);
    take({ name: "t" });
    expect(seen.map(({ aborted }) => aborted)).toEqual([true, false]);
    fastPath.cancel(1);
    expect(seen.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});

it("lets the handler send requests and notifications to the client", async () => {
  const { take, toClient, sent, answered } = open(async (_params, { mcpReq }) => {
    await mcpReq.notify({ method: "notifications/progress", params: {} });
    return { answer: await mcpReq.send({ method: "elicitation/create", params: {} } as never) };
  });
  take({ name: "t" });
  await answered();
  expect(toClient).toEqual([
    { method: "notifications/progress", params: {} },
    { method: "elicitation/create", params: {} },
  ]);
  expect(sent).toMatchObject([{ result: { answer: { action: "accept" } } }]);
});
