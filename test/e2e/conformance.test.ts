import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.js";
import { eventually } from "../support/eventually.js";
import { ANYGPT, createHome, type Home, nodeServer, ROOT } from "../support/gateway.js";
import { askModern, type McpCaller, modern, postMcp } from "../support/mcp-http.js";

const SERVER = join(ROOT, "conformance/server.mjs");
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

interface Running {
  readonly caller: McpCaller;
  readonly home: Home;
  readonly children: readonly ChildProcess[];
}

/** The first matching line. */
async function lineOf(stream: Readable, pattern: RegExp): Promise<string> {
  for await (const line of createInterface({ input: stream })) {
    const found = pattern.exec(line)?.[1];
    if (found === undefined) continue;
    stream.resume();
    return found;
  }
  return expect.unreachable();
}

async function start(server: object, before: readonly ChildProcess[] = []): Promise<Running> {
  const home = createHome({ mode: "full", servers: { it: server }, http: { port: 0 } });
  const words = ["mcp", "serve", "--http", "--config", home.config];
  const child = spawn(process.execPath, [ANYGPT, ...words], { env: home.env, cwd: home.folder });
  const url = await lineOf(child.stderr, /MCP at (http:\S+)\/mcp\./);
  const token = readFileSync(join(home.folder, "state/http.token"), "utf8").trim();
  return { caller: { url, token }, home, children: [child, ...before] };
}

async function startOverHttp(): Promise<Running> {
  const child = spawn(process.execPath, [SERVER, "http"]);
  const port = await lineOf(child.stdout, /^(\d+)$/);
  return await start({ url: `http://127.0.0.1:${port}/mcp` }, [child]);
}

describe.each([
  ["stdio", () => start(nodeServer(SERVER, "stdio"))],
  ["HTTP", startOverHttp],
])("in full mode, a single server over %s", (_, open) => {
  let running: Running;
  beforeAll(async () => {
    running = await open();
  });
  afterAll(async () => {
    for (const child of running.children) {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    running.home.remove();
  });

  const ask = async (method: string, params: JsonObject, capabilities: JsonObject = { elicitation: {} }) => {
    const reply = await askModern(running.caller, method, { ...params, _meta: { [CAPABILITIES]: capabilities } });
    return { status: reply.status, ...reply.answer };
  };
  const call = (name: string, more: JsonObject = {}) => ask("tools/call", { name, arguments: {}, ...more });
  const accepted = (content: JsonObject) => ({ action: "accept", content });

  it("keeps the keys of input requests and accepts answers by these keys", async () => {
    const name = "test_input_required_result_elicitation";
    const { result } = await call(name);
    expect(result).toMatchObject({ resultType: "input_required", inputRequests: { user_name: {} } });
    const answers = { inputResponses: { user_name: accepted({ name: "Ann" }), other: accepted({}) } };
    const requestState = result?.["requestState"];
    expect((await call(name, { ...answers, requestState })).result?.content?.[0]?.text).toBe("Hello, Ann!");
    expect((await call(name, answers)).result?.content?.[0]?.text).toBe("Hello, Ann!");
  });

  it("sends input requests for a prompt and rejects the request state in another request", async () => {
    const name = "test_input_required_result_prompt";
    const { result } = await ask("prompts/get", { name });
    expect(result).toMatchObject({ resultType: "input_required", inputRequests: { user_context: {} } });
    const given = { inputResponses: { user_context: accepted({ context: "here" }) } };
    const state = { requestState: result?.["requestState"] };
    expect((await call(name, { ...given, ...state })).error?.code).toBe(-32_602);
    const { result: prompt } = await ask("prompts/get", { name, ...given, ...state });
    expect(prompt?.["messages"]).toMatchObject([{ content: { text: "Use this context: here" } }]);
  });

  it("sends elicitation to a client with a session before it returns a prompt", async () => {
    const { url, token } = running.caller;
    const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { context: "there" } }));
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    const { messages } = await client.getPrompt({ name: "test_input_required_result_prompt" });
    expect(messages).toMatchObject([{ content: { text: "Use this context: there" } }]);
    await client.close();
  });

  it("runs a long call as a task for a client that supports tasks, with input requests", async () => {
    const capabilities = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
    const begun = await ask("tools/call", { name: "multi_input", arguments: {} }, capabilities);
    expect(begun.result).toMatchObject({ resultType: "task", status: "working" });
    const taskId = begun.result?.["taskId"];
    const whenIs = async (status: string): Promise<JsonObject> => {
      let last: JsonObject = {};
      await eventually(async () => {
        last = (await ask("tasks/get", { taskId }, capabilities)).result ?? {};
        return last["status"] === status;
      });
      return last;
    };
    expect(await whenIs("input_required")).toMatchObject({ inputRequests: { name: {}, confirm: {} } });
    const inputResponses = { name: accepted({ name: "Ann" }), confirm: accepted({ confirm: true }) };
    expect((await ask("tasks/update", { taskId, inputResponses }, capabilities)).error).toBeUndefined();
    expect(await whenIs("completed")).toMatchObject({ result: { content: [{ text: "Done for Ann" }] } });
    expect((await ask("tasks/get", { taskId })).error?.code).toBe(-32_021);
  });

  it("names the capability that the client lacks", async () => {
    const { status, error } = await call("test_missing_capability");
    expect({ status, code: error?.code }).toEqual({ status: 400, code: -32_021 });
    expect(error?.data).toEqual({ requiredCapabilities: { sampling: {} } });
  });

  it.each([
    ["is missing", {}, { status: 400, code: -32_020 }],
    ["has another value", { "mcp-param-region": "eu" }, { status: 400, code: -32_020 }],
    ["has the same value", { "mcp-param-region": "us" }, { status: 200, text: "us" }],
  ])("validates an argument whose header %s", async (_, own, expected) => {
    const { body, headers } = modern("tools/call", { name: "test_custom_header", arguments: { region: "us" } });
    const { status, answer } = await postMcp(running.caller, body, { ...headers, ...own });
    const got = { status, code: answer.error?.code, text: answer.result?.content?.[0]?.text };
    expect(got).toEqual({ code: undefined, text: undefined, ...expected });
  });
});
