import { describe, expect, it } from "vitest";
import { PAYMENT_SERVERS, setUpPayments } from "../../../test/support/payment-catalog.js";
import { DiscoveryError } from "../../errors.js";
import { localActor } from "../../model/actor.js";
import type { CallResult } from "../../model/call.js";
import type { ServerDefinition } from "../../model/server.js";

const CHARGE = "paystack:charge-authorization";
const META = {
  adapter: "paystack",
  tool: "charge-authorization",
  request_id: "req_1",
  timestamp: "2026-01-29T10:30:00.000Z",
  operation: { risk_level: "high", idempotent: true, reversible: false, category: "transactions" },
};
const NEXT = "The result is in `data`. For the next task, call gateway.intent.";

describe("gateway.execute", () => {
  it("passes the call to the executor unchanged, and wraps the tool's answer", async () => {
    const { run, calls } = await setUpPayments({
      answer: () => Promise.resolve({ content: [{ type: "text", text: '{"status":true}' }] }),
    });
    const options = { timeout: 5000, idempotency_key: "k-1", dry_run: false, confirmed: true };
    expect(await run("gateway.execute", { tool_id: CHARGE, params: { amount: 1 }, options })).toEqual({
      success: true,
      tool_id: CHARGE,
      execution_time_ms: 342,
      data: { status: true },
      meta: META,
      next_step: NEXT,
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
      },
    ]);
  });

  it("accepts every id of the catalog, and a call without params", async () => {
    const { run, calls } = await setUpPayments();
    expect(await run("gateway.execute", { tool_id: "github:search_code" })).toMatchObject({
      success: true,
      meta: { operation: { risk_level: "low", idempotent: true, reversible: true, category: null } },
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
    expect(got["_meta"]).toEqual(_meta);
    expect(JSON.parse(String(got.content[0]?.["text"]))).toMatchObject({ meta: { replayed: true } });
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
      tool_id: CHARGE,
      execution_time_ms: 342,
      error: {
        code: "TOOL_EXECUTION_ERROR",
        message: "Insufficient funds.",
        server: "paystack",
        tool: "charge-authorization",
        retryable: false,
        executed: "yes",
        risk_level: "high",
      },
      data: { code: "insufficient_funds" },
      meta: META,
      next_step: expect.stringContaining("gateway.reference") as string,
    });
  });

  it.each([
    ["IDEMPOTENCY_REQUIRED", "call gateway.execute again"],
    ["TOOL_VALIDATION_ERROR", `gateway.intent with query "${CHARGE}"`],
    ["TOOL_DISABLED", "Find another tool with gateway.intent"],
  ] as const)("reports the risk and the next step of a call rejected with %s", async (code, next) => {
    const refuse = () =>
      Promise.reject(
        new DiscoveryError(code, "No.", {
          hint: { action: "search" },
          server: "paystack",
          tool: "charge-authorization",
          facts: { x: 1 },
        }),
      );
    const { run } = await setUpPayments({ answer: refuse });
    await expect(run("gateway.execute", { tool_id: CHARGE, params: {} })).rejects.toMatchObject({
      code,
      message: "No.",
      nextSteps: [{ action: "search" }],
      facts: { x: 1, risk_level: "high", next_step: expect.stringContaining(next) },
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
