import { afterEach, describe, expect, it } from "vitest";
import { ANSWER, closeExecutors, type ExecutorSetup, setUpExecutor, toTool } from "../../test/support/executor.js";
import { DiscoveryError, type ErrorCode } from "../errors.js";
import { localActor } from "../model/actor.js";
import type { CallContext, CallResult } from "../model/call.js";

afterEach(closeExecutors);

const failing = (reason: unknown): ExecutorSetup => ({ send: () => Promise.reject(reason) });
const READ_ONLY = toTool({}, { annotations: { readOnlyHint: true } });

describe("execute", () => {
  it("returns the server's result as the same object", async () => {
    const { call, sent } = await setUpExecutor();
    expect(await call()).toBe(ANSWER);
    expect(sent).toMatchObject([
      { arguments: { title: "x" }, timeoutMs: 30_000, startWaitMs: 10_000, maxTotalMs: 900_000 },
    ]);
  });

  it("records an intent before it sends and one outcome after", async () => {
    const { call, records } = await setUpExecutor({ send: () => Promise.resolve(ANSWER) });
    await call();
    const facts = {
      request_id: "id-1",
      timestamp: "2026-01-01T00:00:00.000Z",
      actor_id: "local",
      surface: "mcp",
      tool_id: "github:create_issue",
      params_hash: 'hash of {"title":"x"}',
      risk: "medium",
    };
    expect(records).toEqual([
      { kind: "intent", ...facts },
      { kind: "outcome", ...facts, decision: "allowed", outcome: "ok", duration_ms: 5, arguments: { title: "x" } },
    ]);
  });

  it("records the id of the tool, however the caller wrote its name", async () => {
    const { call, records } = await setUpExecutor();
    await call({ tool: "github:create_issue" });
    expect(records).toMatchObject([{ tool_id: "github:create_issue" }, { tool_id: "github:create_issue" }]);
  });

  it("records only the outcome of a low-risk call", async () => {
    const { call, records } = await setUpExecutor({ tool: READ_ONLY });
    await call();
    expect(records).toMatchObject([{ kind: "outcome", risk: "low", outcome: "ok" }]);
  });

  it.each<[string, unknown]>([
    ["a JSON string", '{"title":"x"}'],
    ["an object", { title: "x" }],
  ])("accepts arguments as %s", async (_, args) => {
    const { call, sent } = await setUpExecutor();
    await call({ arguments: args });
    expect(sent[0]?.arguments).toEqual({ title: "x" });
  });

  it("sends a copy of the arguments, so that later changes by the caller have no effect", async () => {
    const args = { title: "x" };
    const { call, sent } = await setUpExecutor({
      parts: {
        validation: {
          check: () => {
            args.title = "changed";
            return Promise.resolve([]);
          },
          close: () => Promise.resolve(),
        },
      },
    });
    await call({ arguments: args });
    expect(sent[0]?.arguments).toEqual({ title: "x" });
  });

  it.each<[string, unknown, string]>([
    ["a string that is not JSON", "title=x", "TOOL_VALIDATION_ERROR"],
    ["a list", ["x"], "TOOL_VALIDATION_ERROR"],
    ["a number in a string", "7", "TOOL_VALIDATION_ERROR"],
    ["an integer that a double cannot represent", { title: "x", n: 2 ** 53 }, "TOOL_VALIDATION_ERROR"],
    ["a JSON string with a duplicate name", '{"title":"x","title":"y"}', "TOOL_VALIDATION_ERROR"],
    ["__proto__", '{"title":"x","__proto__":{}}', "TOOL_VALIDATION_ERROR"],
    ["a lone surrogate", { title: "\ud800" }, "TOOL_VALIDATION_ERROR"],
    ["an object nested a hundred deep", JSON.parse(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`), "INVALID_REQUEST"],
  ])("rejects %s without sending it", async (_, args, code) => {
    const { call, sent, records } = await setUpExecutor();
    await expect(call({ arguments: args })).rejects.toMatchObject({ code, executed: "no" });
    expect(sent).toEqual([]);
    expect(records).toHaveLength(1);
  });

  it("rejects a request that JSON parsing changed, names the path, and does not hash it", async () => {
    const { call, sent, records } = await setUpExecutor();
    const flaws = [{ path: "/params/arguments/arguments/title", message: "occurs twice" }];
    await expect(call({ flaws })).rejects.toMatchObject({
      code: "TOOL_VALIDATION_ERROR",
      facts: { violations: ["/params/arguments/arguments/title occurs twice"] },
    });
    expect(sent).toEqual([]);
    expect(records).toMatchObject([{ params_hash: null, decision: "refused" }]);
  });

  it("names every violation and the signature when the arguments are invalid", async () => {
    const { call, sent } = await setUpExecutor();
    await expect(call({ arguments: { title: true, body: [] } })).rejects.toMatchObject({
      code: "TOOL_VALIDATION_ERROR",
      message: "The arguments do not match the schema of github:create_issue.",
      facts: {
        request_id: "id-1",
        violations: ['/title is boolean, must be "string"', '/body is array, must be "string"'],
        signature: "create_issue(title: string, body?: string)",
      },
    });
    expect(sent).toEqual([]);
  });

  it("records the client and its trace in both records, without secrets and without an invalid trace", async () => {
    const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
    const setup = await setUpExecutor({
      parts: { secrets: { redact: (text) => text.replace("s3cret", "***"), redactError: (error) => error } },
    });
    await setup.call({ clientName: { name: "agent s3cret", version: "1.2" }, meta: trace });
    const members = {
      client_name: "agent ***",
      client_version: "1.2",
      trace_id: "a".repeat(32),
      span_id: "b".repeat(16),
    };
    expect(setup.records).toMatchObject([
      { kind: "intent", ...members },
      { kind: "outcome", ...members },
    ]);
    await setup.call({ arguments: { title: "y" }, meta: { traceparent: "00-x" } });
    for (const name of Object.keys(members)) expect(setup.records.at(-1)).toHaveProperty(name, undefined);
  });

  it("does not call a disabled tool, and says which rule disables it", async () => {
    const { call, sent, records } = await setUpExecutor({ tool: toTool({ enabled: false }) });
    await expect(call()).rejects.toMatchObject({
      code: "TOOL_DISABLED",
      message: "github:create_issue is disabled: rule 1 (*issue* → disabled).",
    });
    expect(sent).toEqual([]);
    expect(records).toMatchObject([{ kind: "outcome", decision: "refused", error_code: "TOOL_DISABLED" }]);
  });

  it.each(["prepare", "record"] as const)("sends nothing when %s of the audit log fails", async (method) => {
    const setup = await setUpExecutor();
    setup.audit[method] = () => Promise.reject(new DiscoveryError("AUDIT_UNAVAILABLE", "full."));
    await expect(setup.call()).rejects.toMatchObject({
      code: "AUDIT_UNAVAILABLE",
      executed: "no",
      facts: { request_id: "id-1" },
    });
    expect(setup.sent).toEqual([]);
  });

  it.each<["yes" | "unknown", ExecutorSetup]>([
    ["yes", { tool: READ_ONLY }],
    [
      "unknown",
      {
        tool: READ_ONLY,
        ...failing(new DiscoveryError("TOOL_EXECUTION_TIMEOUT", "late.", { executed: "unknown" })),
      },
    ],
  ])("does not return a result that could not be recorded, and reports executed: %s", async (executed, setup) => {
    const { call, audit } = await setUpExecutor(setup);
    audit.record = () => Promise.reject(new DiscoveryError("AUDIT_UNAVAILABLE", "full."));
    await expect(call()).rejects.toMatchObject({
      code: "AUDIT_UNAVAILABLE",
      executed,
      server: "github",
      tool: "create_issue",
    });
  });

  it("continues when a listener of the caller throws", async () => {
    const { call, logged } = await setUpExecutor({
      send: ({ report }) => {
        report?.({ kind: "progress", progress: 1 });
        return Promise.resolve(ANSWER);
      },
    });
    const onEvent = () => {
      throw new Error("my mistake");
    };
    expect(await call({ onEvent })).toBe(ANSWER);
    expect(logged[0]).toContain("my mistake");
  });

  it("returns the full result to a caller that is not a model", async () => {
    const large: CallResult = { content: [{ type: "text", text: "x".repeat(5000) }] };
    const { call } = await setUpExecutor({ send: () => Promise.resolve(large) });
    expect(await call({ whole: true })).toBe(large);
    expect((await call()).content).toHaveLength(2);
  });

  it("does not send a call that was cancelled while it was being checked", async () => {
    const { call, sent } = await setUpExecutor();
    await expect(call({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "CANCELLED", executed: "no" });
    expect(sent).toEqual([]);
  });

  it("converts a defect to INTERNAL_ERROR with a request id, and logs the stack", async () => {
    const { call, logged } = await setUpExecutor(failing(new RangeError("secret detail")));
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

  it("reports executed: no for a defect before the call was sent, and unknown after it", async () => {
    const before = await setUpExecutor({ parts: { resolve: () => Promise.reject(new TypeError("bug")) } });
    await expect(before.call()).rejects.toMatchObject({ code: "INTERNAL_ERROR", executed: "no" });
    const after = await setUpExecutor(failing(new TypeError("bug")));
    await expect(after.call()).rejects.toMatchObject({ code: "INTERNAL_ERROR", executed: "unknown" });
  });

  it("passes the caller's context on as the same object", async () => {
    const context: CallContext = { actor: localActor("mcp"), logLevel: "debug" };
    const { execute, sent } = await setUpExecutor();
    await execute({ context, server: "github", tool: "create_issue", arguments: { title: "x" } });
    expect(sent[0]?.context).toBe(context);
  });

  it("passes the caller's timeout, metadata and listener on", async () => {
    const { call, sent } = await setUpExecutor();
    await call({ timeoutMs: 5, meta: { trace: 1 }, onEvent: () => undefined });
    expect(sent[0]).toMatchObject({ timeoutMs: 5, meta: { trace: 1 }, report: expect.any(Function) });
  });

  it("returns a result with isError as a result", async () => {
    const { call, records } = await setUpExecutor({ send: () => Promise.resolve({ content: [], isError: true }) });
    expect(await call()).toEqual({ content: [], isError: true });
    expect(records.at(-1)).toMatchObject({ decision: "allowed", outcome: "tool_error" });
  });

  it.each<[ErrorCode, "allowed" | "refused"]>([
    ["TOOL_DISABLED", "refused"],
    ["SERVER_CONNECTION_ERROR", "allowed"],
    ["TOOL_EXECUTION_TIMEOUT", "allowed"],
    ["CANCELLED", "allowed"],
  ])("records %s as %s", async (code, decision) => {
    const { call, records } = await setUpExecutor(failing(new DiscoveryError(code, "It failed.")));
    await expect(call()).rejects.toMatchObject({ code });
    expect(records.at(-1)).toMatchObject({ decision, outcome: "error", error_code: code });
  });
});
