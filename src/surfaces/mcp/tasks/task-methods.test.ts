import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeDiscoveryStep } from "../../../metatools/next-steps.js";
import { eventually } from "../../../../test/support/eventually.js";
import { ACCEPT, type McpMessage, modern, readReply } from "../../../../test/support/mcp-http.js";
import type { Stages } from "../../../gateway/stages.js";
import { DiscoveryError } from "../../../errors.js";
import type { MetaTool } from "../../../metatools/meta-tool.js";
import type { CallContext } from "../../../model/call.js";
import { offerProfile, toFixedList } from "../../../metatools/offered.js";
import type { Actor } from "../../../model/actor.js";
import type { JsonObject } from "../../../model/json.js";
import { createSecrets } from "../../../util/secrets.js";
import {
  createMultiRoundTripRequests,
  type MultiRoundTripRequests,
} from "../client-requests/multi-round-trip-requests.js";
import { createGatewayServer } from "../gateway-server.js";

const ANN: Actor = { id: "token:ann", surface: "mcp" };
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const FORMS = { ...TASKS, elicitation: { form: {} } };

/** Lets the tool `slow` run `work`. */
let release: () => void;
let work: MetaTool["run"];
/** Runs at the start of the tool, before it waits for `release`. */
let before: (context: CallContext) => Promise<unknown>;
let roundTrips: MultiRoundTripRequests;
let isFixed: boolean;
let released: Promise<void>;

beforeEach(() => {
  released = new Promise((resolve) => (release = resolve));
  roundTrips = createMultiRoundTripRequests({ tasks: { afterMs: 1 } });
  isFixed = true;
  before = () => Promise.resolve();
});
afterEach(async () => {
  release();
  await roundTrips.close();
});

interface Asked {
  readonly actor?: Actor;
  readonly capabilities?: JsonObject;
}

async function ask(method: string, params: JsonObject, asked: Asked = {}): Promise<McpMessage> {
  const { actor = ANN, capabilities = TASKS } = asked;
  const slow: MetaTool = {
    name: "slow",
    description: "",
    inputSchema: {},
    readOnly: false,
    run: async (args, context) => {
      await before(context);
      await released;
      return await work(args, context);
    },
  };
  const offered = { ...offerProfile([slow], describeDiscoveryStep), isFixed };
  const handler = createMcpHandler(
    () =>
      createGatewayServer({
        era: "modern",
        actor,
        roundTrips,
        fixedList: toFixedList(offered),
        stages: () => Promise.resolve({ offered, runtime: { secrets: createSecrets() } } as unknown as Stages),
        onToolsChanged: () => undefined,
        instructions: "",
        flawsOf: () => [],
        stateKey: Buffer.alloc(32, 1),
        inputClosed: new AbortController().signal,
      }).server,
  );
  const _meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
  const { body, headers } = modern(method, { ...params, _meta });
  const all = { accept: ACCEPT, "content-type": "application/json", ...headers };
  const request = new Request("http://localhost/mcp", { method: "POST", headers: all, body: JSON.stringify(body) });
  const { answer } = await readReply(await handler.fetch(request));
  await handler.close();
  return answer;
}

async function begin(asked?: Asked): Promise<string> {
  const { result } = await ask("tools/call", { name: "slow", arguments: {} }, asked);
  expect(result).toMatchObject({ resultType: "task", status: "working" });
  return String(result?.["taskId"]);
}

/** Waits until the task has this status. */
async function whenIs(status: string, taskId: string): Promise<JsonObject> {
  let last: JsonObject = {};
  await eventually(async () => {
    last = (await ask("tasks/get", { taskId })).result ?? {};
    return last["status"] === status;
  });
  return last;
}

it("declares the tasks extension", async () => {
  const { result } = await ask("server/discover", {});
  expect(result?.["capabilities"]).toMatchObject(TASKS);
});

it.each(["tasks/get", "tasks/update", "tasks/cancel"])(
  "rejects %s of clients without the tasks extension",
  async (method) => {
    const { error } = await ask(method, { taskId: "task.any", inputResponses: {} }, { capabilities: {} });
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: TASKS } });
  },
);

it.each(["tasks/list", "tasks/result"])("does not support %s", async (method) => {
  expect((await ask(method, { taskId: "task.any" })).error?.code).toBe(-32601);
});

it("answers a client without the tasks extension with the result", async () => {
  work = () => Promise.resolve({ kind: "data", data: { done: true } });
  const answer = ask("tools/call", { name: "slow", arguments: {} }, { capabilities: {} });
  await begin();
  release();
  expect((await answer).result?.content?.[0]?.text).toBe('{"done":true}');
});

it("answers a client with the extension with a task, whose result only this client can read", async () => {
  work = () => Promise.resolve({ kind: "data", data: { done: true } });
  const taskId = await begin();
  expect(await whenIs("working", taskId)).toMatchObject({ resultType: "complete" });
  release();
  const done = await whenIs("completed", taskId);
  expect(done).toMatchObject({
    resultType: "complete",
    result: { content: [{ type: "text", text: '{"done":true}' }] },
  });
  const bob = { actor: { ...ANN, id: "token:bob" } };
  const fewer = { actor: { ...ANN, scopes: ["a"] } };
  for (const other of [bob, fewer]) expect((await ask("tasks/get", { taskId }, other)).error?.code).toBe(-32602);
});

it("cancels the call of a task", async () => {
  let isCancelled = (): boolean => false;
  work = (_, { signal }) => {
    isCancelled = () => signal?.aborted === true;
    return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("stopped"))));
  };
  const taskId = await begin();
  release();
  const { result } = await ask("tasks/cancel", { taskId });
  expect(result).toMatchObject({ resultType: "complete" });
  expect(result).not.toHaveProperty("taskId");
  expect(await whenIs("cancelled", taskId)).not.toHaveProperty("result");
  await eventually(() => isCancelled());
});

/** Asks for confirmation, as the executor does. */
const askUser = async ({ ask: put, signal }: CallContext) => {
  const about = { toolId: "s:risky", risk: "high", riskOrigin: "default", arguments: {}, ttlMs: 60_000 };
  return await put?.({ id: "ap_1", ...about }, signal);
};
const confirmed: MetaTool["run"] = async (args, context) => {
  const verdict = await askUser(context);
  if (verdict === "accepted") return { kind: "data", data: { done: args ?? null } };
  throw new DiscoveryError(verdict === "declined" ? "POLICY_DENIED" : "CONFIRMATION_REQUIRED", "It did not run.");
};

it.each([
  [{ action: "accept", content: { confirm: true } }, '{"done":{}}'],
  [{ action: "decline" }, "POLICY_DENIED"],
  [{ action: "cancel" }, "CONFIRMATION_REQUIRED"],
])("asks the user of a task for confirmation, who answers %j", async (userAnswer, expected) => {
  work = confirmed;
  const taskId = await begin({ capabilities: FORMS });
  release();
  const { inputRequests } = await whenIs("input_required", taskId);
  const [key] = Object.keys(inputRequests as JsonObject);
  const { result } = await ask("tasks/update", { taskId, inputResponses: { [String(key)]: userAnswer } });
  expect(result).toMatchObject({ resultType: "complete" });
  expect(JSON.stringify((await whenIs("completed", taskId))["result"])).toContain(
    JSON.stringify(expected).slice(1, -1),
  );
});

it.each([
  [true, "completed", "result"],
  [false, "failed", "error"],
])("reports a protocol error of a server in the format of the mode (fixed tools: %s)", async (fixed, status, field) => {
  isFixed = fixed;
  work = () =>
    Promise.reject(new DiscoveryError("TOOL_EXECUTION_ERROR", "It broke.", { facts: { jsonRpcCode: -32050 } }));
  const taskId = await begin();
  release();
  const task = await whenIs(status, taskId);
  expect(JSON.stringify(task[field])).toContain("-32050");
});

it("does not answer with input_required after the request was answered with a task", async () => {
  before = askUser;
  work = () => Promise.reject(new DiscoveryError("CONFIRMATION_REQUIRED", "It did not run."));
  const taskId = await begin({ capabilities: FORMS });
  release();
  const { result } = await whenIs("completed", taskId);
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result)).toContain("CONFIRMATION_REQUIRED");
});

it("reports a protocol error of a server as a result if there is no task", async () => {
  isFixed = false;
  work = () => Promise.reject(new DiscoveryError("TOOL_EXECUTION_ERROR", "Bad.", { facts: { jsonRpcCode: -32050 } }));
  release();
  const { result } = await ask("tools/call", { name: "slow", arguments: {} }, { capabilities: {} });
  expect(result).toMatchObject({ isError: true });
});
