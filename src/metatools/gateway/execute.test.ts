import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { PAYMENT_SERVERS, setUpPayments } from "../../../test/support/payment-catalog.js";
import { DiscoveryError, type ErrorCode } from "../../errors.js";
import { localActor } from "../../model/actor.js";
import type { CallResult } from "../../model/call.js";
import type { Hint } from "../../model/next-steps.js";
import type { ServerDefinition } from "../../model/server.js";

const CHARGE = "paystack:charge-authorization";
const EXECUTION = {
  adapter: "paystack",
  tool: "charge-authorization",
  request_id: "req_1",
  timestamp: "2026-01-29T10:30:00.000Z",
  operation: { risk_level: "high", idempotent: true, reversible: false, category: "transactions" },
  execution_time_ms: 342,
};

const rejected = (code: ErrorCode, hint?: Hint): DiscoveryError =>
  new DiscoveryError(code, "No.", { hint, server: "paystack", tool: "charge-authorization", facts: { x: 1 } });

describe("gateway.execute", () => {
  it("passes the call to the executor unchanged, and wraps the tool's answer", async () => {
    const { answer, calls } = await setUpPayments({
      answer: () => Promise.resolve({ content: [{ type: "text", text: '{"status":true}' }] }),
    });
    const options = {
      timeout: 5000,
      idempotency_key: "k-1",
      dry_run: false,
      confirmed: true,
      select: "a",
      max_tokens: 300,
    };
    expect(await answer("gateway.execute", { tool_id: CHARGE, params: { amount: 1 }, options })).toEqual({
      content: [{ type: "text", text: '{"success":true,"data":{"status":true}}' }],
      _meta: { "anygpt/execution": EXECUTION },
    });
    expect(calls).toEqual([
      {
        context: { actor: localActor("mcp") },
        server: "paystack",
        tool: "charge-authorization",
        arguments: { amount: 1 },
        profile: "gateway",
        requestId: "req_1",
        timeoutMs: 5000,
        idempotencyKey: "k-1",
        dryRun: false,
        confirmed: true,
        select: "a",
        maxTokens: 300,
        describeReading: expect.any(Function) as unknown,
      },
    ]);
    expect(calls[0]?.describeReading?.({ result: "r1" })).toBe(
      'gateway.execute {"tool_id":"anygpt:read_result","params":{"result":"r1"}}',
    );
  });

  it("returns the original shape to programs that call an operation", async () => {
    const { profile } = await setUpPayments();
    const { wrapper } = await profile.execute({
      context: { actor: localActor("http") },
      toolId: CHARGE,
      params: {},
    });
    const { execution_time_ms, ...meta } = EXECUTION;
    expect(wrapper).toEqual({ success: true, tool_id: CHARGE, execution_time_ms, data: { ok: true }, meta });
  });

  it("wraps a result in at most 40 tokens", async () => {
    const { answer } = await setUpPayments({
      answer: () => Promise.resolve({ content: [], _meta: { "anygpt/replayed": { request_id: "first" } } }),
    });
    const { content } = await answer("gateway.execute", { tool_id: CHARGE, params: {} });
    expect(encode(String(content[0]?.["text"])).length).toBeLessThanOrEqual(40);
  });

  it("accepts every id of the catalog, and a call without params", async () => {
    const { answer, calls } = await setUpPayments();
    const { _meta } = await answer("gateway.execute", { tool_id: "github:search_code" });
    expect(_meta).toMatchObject({
      "anygpt/execution": { operation: { risk_level: "low", idempotent: true, reversible: true, category: null } },
    });
    expect(calls[0]).toMatchObject({ server: "github", tool: "search_code", arguments: {} });
  });

  it("finds the server of an id with several colons", async () => {
    const tools = [{ name: "x:y", inputSchema: { type: "object" } }];
    const server: ServerDefinition = { ...PAYMENT_SERVERS[2]![0], name: "a:b" };
    const { run, calls } = await setUpPayments({ servers: [[server, tools]] });
    await run("gateway.execute", { tool_id: "a:b:x:y" });
    await run("gateway.execute", { tool_id: "none:x:y" });
    expect(calls.map(({ server: name, tool }) => [name, tool])).toEqual([
      ["a:b", "x:y"],
      ["none", "x:y"],
    ]);
  });

  it.each<[string, CallResult, unknown, object[]]>([
    ["plain text", { content: [{ type: "text", text: "done" }] }, "done", []],
    [
      "structured content that is repeated as text",
      { content: [{ type: "text", text: '{ "a": 1 }' }], structuredContent: { a: 1 } },
      { a: 1 },
      [],
    ],
    [
      "structured content with only the text",
      { content: [{ type: "text", text: "a\nb" }], structuredContent: { content: "a\nb" } },
      { content: "a\nb" },
      [],
    ],
    [
      "structured content and other text",
      { content: [{ type: "text", text: "See a." }], structuredContent: { a: 1 } },
      { a: 1 },
      [{ type: "text", text: "See a." }],
    ],
    [
      "an image",
      {
        content: [
          { type: "text", text: "here" },
          { type: "image", data: "AA==", mimeType: "image/png" },
        ],
      },
      "here",
      [{ type: "image", data: "AA==", mimeType: "image/png" }],
    ],
  ])("returns %s", async (_, result, data, extraContent) => {
    const { answer } = await setUpPayments({ answer: () => Promise.resolve(result) });
    const { content, isError } = await answer("gateway.execute", { tool_id: CHARGE, params: {} });
    expect(JSON.parse(String(content[0]?.["text"]))).toMatchObject({ success: true, data });
    expect(content.slice(1)).toEqual(extraContent);
    expect(isError).toBeUndefined();
  });

  it("returns the metadata of an answer, and marks a replayed answer", async () => {
    const _meta = { "anygpt/replayed": { request_id: "first" }, other: 1 };
    const { answer } = await setUpPayments({ answer: () => Promise.resolve({ content: [], _meta }) });
    const got = await answer("gateway.execute", { tool_id: CHARGE, params: {} });
    expect(got["_meta"]).toEqual({ ..._meta, "anygpt/execution": EXECUTION });
    expect(JSON.parse(String(got.content[0]?.["text"]))).toMatchObject({ replayed: true });
  });

  it("returns an error of the tool as an error, with its structured content in data", async () => {
    const failed = {
      content: [{ type: "text", text: "Insufficient funds." }],
      structuredContent: { code: "insufficient_funds" },
      isError: true,
    };
    const { answer } = await setUpPayments({ answer: () => Promise.resolve(failed) });
    const { content, isError } = await answer("gateway.execute", { tool_id: CHARGE, params: {} });
    expect(isError).toBe(true);
    expect(content).toHaveLength(1);
    expect(JSON.parse(String(content[0]?.["text"]))).toEqual({
      success: false,
      error: { code: "TOOL_EXECUTION_ERROR", message: "Insufficient funds.", retryable: false, executed: "yes" },
      data: { code: "insufficient_funds" },
      next_step: "Do not repeat the call unchanged.",
    });
  });

  it.each([
    ["IDEMPOTENCY_REQUIRED", { risk_level: "high", next_step: "Follow the hint." }],
    ["TOOL_VALIDATION_ERROR", { next_step: "Follow the hint." }],
    ["TOOL_DISABLED", { next_step: "Find another tool with gateway.intent." }],
  ] as const)(
    "adds the next step to a call rejected with %s, without the names that the caller sent",
    async (code, facts) => {
      const { run } = await setUpPayments({ answer: () => Promise.reject(rejected(code, { action: "search" })) });
      await expect(run("gateway.execute", { tool_id: CHARGE, params: {} })).rejects.toMatchObject({
        code,
        message: "No.",
        nextSteps: [{ action: "search" }],
        server: undefined,
        tool: undefined,
        facts: { x: 1, retryable: false, ...facts },
      });
    },
  );

  it.each<[string, DiscoveryError, boolean, string]>([
    ["says not to repeat it", rejected("POLICY_DENIED", "Do not repeat the call."), false, "Follow the hint."],
    ["says to repeat it", rejected("TOOL_EXECUTION_TIMEOUT", { action: "retry" }), true, "Follow the hint."],
    [
      "says to correct the arguments and repeat it",
      rejected("TOOL_VALIDATION_ERROR", { action: "retry" }).with({ facts: { violations: ["x"] } }),
      false,
      "Follow the hint.",
    ],
    [
      "says to check what it has done",
      rejected("SERVER_CONNECTION_ERROR", "Check what the call has done.").with({ executed: "unknown" }),
      false,
      "Follow the hint.",
    ],
    ["is empty and the call can succeed later", rejected("OVERLOADED"), true, "Call gateway.execute again."],
    ["is empty and the call cannot succeed", rejected("INTERNAL_ERROR"), false, "Do not repeat the call unchanged."],
  ])("gives an error whose hint %s a matching retryable and next step", async (_, error, retryable, next_step) => {
    const { run } = await setUpPayments({ answer: () => Promise.reject(error) });
    await expect(run("gateway.execute", { tool_id: CHARGE, params: {} })).rejects.toMatchObject({
      facts: { retryable, next_step },
    });
  });

  it.each([
    ["a timeout in seconds", { options: { timeout: 30 } }],
    ["an invalid idempotency key", { options: { idempotency_key: "é" } }],
    ["an unknown option", { options: { force: true } }],
  ])("rejects %s", async (_, args) => {
    const { run, calls } = await setUpPayments();
    await expect(run("gateway.execute", { tool_id: CHARGE, params: {}, ...args })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
    expect(calls).toEqual([]);
  });

  it("reads the idempotency key from the metadata, and rejects two different keys", async () => {
    const { run, calls } = await setUpPayments();
    const meta = { "anygpt/idempotencyKey": "k" };
    await run("gateway.execute", { tool_id: CHARGE, params: {} }, { meta });
    expect(calls[0]).toMatchObject({ idempotencyKey: "k" });
    const two = run("gateway.execute", { tool_id: CHARGE, params: {}, options: { idempotency_key: "l" } }, { meta });
    await expect(two).rejects.toMatchObject({
      message: expect.stringContaining("gateway.execute received invalid arguments"),
    });
  });
});
