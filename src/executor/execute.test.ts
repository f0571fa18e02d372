import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
import { localActor } from "../model/actor.js";
import type { Call, CallResult } from "../model/call.js";
import type { Tool } from "../model/tool.js";
import { compileCheck } from "./check-value.js";
import { type CallRecord, createExecute, type ExecutorParts, type OutgoingCall } from "./execute.js";
import { createKeptResults } from "./kept-results.js";
import { executionOptions } from "./options.js";

const TOOL: Tool = {
  id: "github:create_issue",
  server: "github",
  name: "create_issue",
  definition: {
    name: "create_issue",
    inputSchema: {
      type: "object",
      properties: { title: { type: "string" }, body: { type: "string" } },
      required: ["title"],
    },
  },
  hash: "h",
  enabled: true,
  tags: [],
};
const ANSWER: CallResult = { content: [{ type: "text", text: "done" }], _meta: { kept: true } };

function setUp(parts: Partial<ExecutorParts> = {}) {
  const sent: OutgoingCall[] = [];
  const records: CallRecord[] = [];
  const logged: string[] = [];
  let time = 0;
  const execute = createExecute({
    resolve: () => Promise.resolve(TOOL),
    explain: () => "rule 1 (*issue* → disabled)",
    validation: {
      check: (tool, value) => Promise.resolve(compileCheck(tool.definition.inputSchema)(value)),
      close: () => Promise.resolve(),
    },
    send: (_tool, call) => {
      sent.push(call);
      return Promise.resolve(ANSWER);
    },
    assertRecordable: () => Promise.resolve(),
    record: (entry) => {
      records.push(entry);
      return Promise.resolve();
    },
    limit: { bytes: 1024, kept: createKeptResults(1000, () => 0) },
    options: executionOptions.parse({}),
    startWaitMs: 10_000,
    now: () => 1000,
    elapsed: () => (time += 5),
    newId: () => "id-1",
    log: (message) => logged.push(message),
    ...parts,
  });
  const call = (rest: Partial<Call> = {}, signal?: AbortSignal) =>
    execute(
      { actor: localActor("mcp"), server: "github", tool: "create_issue", arguments: { title: "x" }, ...rest },
      signal,
    );
  return { call, sent, records, logged };
}

describe("execute", () => {
  it("returns the upstream's answer as the same object", async () => {
    const { call, sent } = setUp();
    expect(await call()).toBe(ANSWER);
    expect(sent).toEqual([{ arguments: { title: "x" }, timeoutMs: 30_000, startWaitMs: 10_000, maxTotalMs: 900_000 }]);
  });

  it("records every outcome once, with its duration", async () => {
    const { call, records } = setUp();
    await call();
    expect(records).toEqual([
      {
        requestId: "id-1",
        actor: { id: "local", surface: "mcp" },
        toolId: TOOL.id,
        arguments: { title: "x" },
        startedAt: 1000,
        durationMs: 5,
        outcome: { kind: "answered", isError: false },
      },
    ]);
  });

  it.each<[string, unknown]>([
    ["a string that holds JSON", '{"title":"x"}'],
    ["an object", { title: "x" }],
  ])("takes arguments as %s", async (_, given) => {
    const { call, sent } = setUp();
    await call({ arguments: given });
    expect(sent[0]?.arguments).toEqual({ title: "x" });
  });

  it.each<[string, unknown, string]>([
    ["text that is no JSON", "title=x", "TOOL_VALIDATION_ERROR"],
    ["a list", ["x"], "TOOL_VALIDATION_ERROR"],
    ["a number in a string", "7", "TOOL_VALIDATION_ERROR"],
    ["an object nested a hundred deep", JSON.parse(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`), "INVALID_REQUEST"],
  ])("refuses %s without sending it", async (_, given, code) => {
    const { call, sent, records } = setUp();
    await expect(call({ arguments: given })).rejects.toMatchObject({ code, executed: "no" });
    expect(sent).toEqual([]);
    expect(records).toHaveLength(1);
  });

  it("names every violation and the signature when the arguments are wrong", async () => {
    const { call, sent } = setUp();
    const failure = await call({ arguments: { title: 1, body: 2 } }).catch((error: unknown) => error as DiscoveryError);
    expect(failure).toMatchObject({
      code: "TOOL_VALIDATION_ERROR",
      message: "The arguments do not fit github:create_issue.",
      facts: {
        request_id: "id-1",
        violations: ['/title is number, must be "string"', '/body is number, must be "string"'],
        signature: "create_issue(title: string, body?: string)",
      },
    });
    expect(sent).toEqual([]);
  });

  it("does not call a disabled tool, and says which rule disables it", async () => {
    const { call, sent, records } = setUp({ resolve: () => Promise.resolve({ ...TOOL, enabled: false }) });
    await expect(call()).rejects.toMatchObject({
      code: "TOOL_DISABLED",
      message: "github:create_issue is disabled: rule 1 (*issue* → disabled).",
    });
    expect(sent).toEqual([]);
    expect(records[0]?.outcome.kind).toBe("failed");
  });

  it("sends nothing when an execution could not be recorded", async () => {
    const unavailable = () => Promise.reject(new DiscoveryError("AUDIT_UNAVAILABLE", "full."));
    const { call, sent } = setUp({ assertRecordable: unavailable, record: unavailable });
    await expect(call()).rejects.toMatchObject({
      code: "AUDIT_UNAVAILABLE",
      executed: "no",
      facts: { request_id: "id-1" },
    });
    expect(sent).toEqual([]);
  });

  it.each<["yes" | "unknown", ExecutorParts["send"]]>([
    ["yes", () => Promise.resolve(ANSWER)],
    ["unknown", () => Promise.reject(new DiscoveryError("TOOL_EXECUTION_TIMEOUT", "late.", { executed: "unknown" }))],
  ])("withholds what could not be recorded, and says executed: %s", async (executed, send) => {
    const record = () => Promise.reject(new DiscoveryError("AUDIT_UNAVAILABLE", "full."));
    const { call } = setUp({ record, send });
    await expect(call()).rejects.toMatchObject({
      code: "AUDIT_UNAVAILABLE",
      executed,
      server: "github",
      tool: "create_issue",
    });
  });

  it("goes on when a listener of the caller throws", async () => {
    const { call, logged } = setUp({
      send: (_tool, { onEvent }) => {
        onEvent?.({ kind: "progress", progress: 1 });
        return Promise.resolve(ANSWER);
      },
    });
    const onEvent = () => {
      throw new Error("my mistake");
    };
    expect(await call({ onEvent })).toBe(ANSWER);
    expect(logged[0]).toContain("my mistake");
  });

  it("gives the whole result to a caller that is no model", async () => {
    const large: CallResult = { content: [{ type: "text", text: "x".repeat(5000) }] };
    const { call } = setUp({ send: () => Promise.resolve(large) });
    expect(await call({ whole: true })).toBe(large);
    expect((await call()).content).toHaveLength(2);
  });

  it("does not send a call that was cancelled while it was being checked", async () => {
    const { call, sent } = setUp();
    await expect(call({}, AbortSignal.abort())).rejects.toMatchObject({ code: "CANCELLED", executed: "no" });
    expect(sent).toEqual([]);
  });

  it("turns a defect into INTERNAL_ERROR: an id to the caller, the stack to the log", async () => {
    const { call, logged } = setUp({ send: () => Promise.reject(new RangeError("secret detail")) });
    const failure = await call().catch((error: unknown) => error as DiscoveryError);
    expect(failure).toMatchObject({
      code: "INTERNAL_ERROR",
      facts: { request_id: "id-1" },
      server: "github",
      tool: "create_issue",
    });
    expect((failure as DiscoveryError).message).not.toContain("secret");
    expect(logged[0]).toContain("RangeError: secret detail");
  });

  it("says executed: no of a defect before the call was sent", async () => {
    const { call } = setUp({ resolve: () => Promise.reject(new TypeError("bug")) });
    await expect(call()).rejects.toMatchObject({ code: "INTERNAL_ERROR", executed: "no" });
    const sent = setUp({ send: () => Promise.reject(new TypeError("bug")) });
    await expect(sent.call()).rejects.toMatchObject({ code: "INTERNAL_ERROR", executed: "unknown" });
  });

  it("passes the caller's timeout, metadata and listener on", async () => {
    const { call, sent } = setUp();
    const onEvent = () => undefined;
    await call({ timeoutMs: 5, meta: { trace: 1 }, onEvent });
    expect(sent[0]).toMatchObject({ timeoutMs: 5, meta: { trace: 1 }, onEvent: expect.any(Function) });
  });

  it("counts an answer with isError as an answer", async () => {
    const { call, records } = setUp({ send: () => Promise.resolve({ content: [], isError: true }) });
    expect(await call()).toEqual({ content: [], isError: true });
    expect(records[0]?.outcome).toEqual({ kind: "answered", isError: true });
  });
});
