import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { type DiscoveryError, toDiscoveryError } from "../../errors.js";
import { renderHint } from "../../model/next-steps.js";
import { createGatewayDescription } from "./next-steps.js";
import { setUpPayments } from "../../../test/support/payment-catalog.js";

const listed = async (gateway: object = {}) =>
  (await setUpPayments({ gateway })).metaTools.map(({ name, description, inputSchema, readOnly }) => ({
    name,
    description,
    inputSchema,
    ...(readOnly ? { annotations: { readOnlyHint: true } } : {}),
  }));

describe("the profile gateway", () => {
  it("has five tools with at most 700 tokens", async () => {
    const tools = await listed();
    expect(tools.map(({ name }) => name)).toEqual([
      "gateway.intent",
      "gateway.execute",
      "gateway.adapters",
      "gateway.tools",
      "gateway.reference",
    ]);
    expect(encode(JSON.stringify({ tools })).length).toBeLessThanOrEqual(700);
  });

  it("accepts and requires the documented parameters", async () => {
    const shapes = (await listed()).map(({ inputSchema }) => {
      const { properties, required = [] } = inputSchema as { properties: object; required?: string[] };
      return [Object.keys(properties), required];
    });
    expect(shapes).toEqual([
      [["query", "adapter", "context", "limit"], ["query"]],
      [
        ["tool_id", "params", "options"],
        ["tool_id", "params"],
      ],
      [["category", "capability", "country"], []],
      [["adapter", "category", "search", "limit", "offset"], ["adapter"]],
      [["topic", "section"], ["topic"]],
    ]);
  });

  it("replaces the dot with _ in all names and texts if configured", async () => {
    const tools = await listed({ dots: false });
    expect(JSON.stringify(tools)).not.toContain("gateway.");
    const { run } = await setUpPayments({ gateway: { dots: false } });
    const answers = [
      await run("gateway_intent", { query: "charge a card" }),
      await run("gateway_adapters", {}),
      await run("gateway_tools", { adapter: "paystack" }),
      await run("gateway_reference", { topic: "idempotency" }),
      await run("gateway_execute", { tool_id: "github:search_code" }),
    ];
    expect(JSON.stringify(answers)).not.toContain("gateway.");
  });

  it.each([
    ["gateway.intent", { query: "charge a card" }],
    ["gateway.intent", { query: "create-refund" }],
    ["gateway.intent", { query: "weather forecast" }],
    ["gateway.adapters", {}],
    ["gateway.adapters", { country: "FR" }],
    ["gateway.tools", { adapter: "github" }],
    ["gateway.reference", { topic: "github" }],
    ["gateway.reference", { topic: "errors" }],
  ])("%s with %j names the next step", async (name, args) => {
    const { run } = await setUpPayments();
    expect((await run(name, args))["next_step"]).toEqual(expect.stringMatching(/\.$/));
  });

  it.each([
    ["gateway.tools", { adapter: "nothing-like-it" }, "SERVER_NOT_FOUND", "Call gateway.adapters to see all adapters."],
    ["gateway.intent", { query: "x", adapter: "paystak" }, "SERVER_NOT_FOUND", "Did you mean paystack?"],
    ["gateway.reference", { topic: "github:zzzzz" }, "TOOL_NOT_FOUND", "Call gateway.intent to find tools"],
    ["gateway.reference", { topic: "webhook" }, "INVALID_REQUEST", "Pass the name of an adapter"],
    ["gateway.execute", { tool_id: "charge", params: {} }, "INVALID_REQUEST", "Call gateway.intent to find tools"],
    ["gateway.execute", { params: {} }, "INVALID_REQUEST", "gateway.execute(tool_id: string"],
    ["gateway.tools", { adapter: "github", limit: 51 }, "INVALID_REQUEST", "gateway.tools(adapter: string"],
  ])("%s answers %j with %s and a hint with the names of this profile", async (name, args, code, hint) => {
    const { run } = await setUpPayments();
    const error = await run(name, args).catch(toDiscoveryError);
    expect(error).toMatchObject({ code, facts: { next_step: "Follow the hint." } });
    const { nextSteps } = error as DiscoveryError;
    expect(
      renderHint(
        nextSteps,
        createGatewayDescription((tool) => `gateway.${tool}`),
      ),
    ).toContain(hint);
  });
});
