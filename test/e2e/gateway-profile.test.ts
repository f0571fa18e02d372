import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallToolResult, ClientOptions } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { connectGateway, type Gateway, type Home, INITIALIZE, spawnGateway, testServer } from "../support/gateway.js";
import { CHARGE, createShop, DOCUMENT, entryOf, type Shop, TOKEN } from "../support/shop.js";

const closings: (() => Promise<unknown> | void)[] = [];
afterAll(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

const GATEWAY = ["gateway.intent", "gateway.execute", "gateway.adapters", "gateway.tools", "gateway.reference"];
const DISCOVERY = ["list_mcp_servers", "search_tools", "list_tools", "get_tool_details", "execute_tool"];

async function openShop(...given: Parameters<typeof createShop>): Promise<Shop> {
  const shop = await createShop(...given);
  closings.push(() => shop.close());
  return shop;
}

async function connect(home: Home, options: ClientOptions = {}): Promise<Gateway> {
  const gateway = await connectGateway(home, options);
  closings.push(() => gateway.close());
  return gateway;
}

interface Answered {
  readonly success?: boolean;
  readonly data?: Record<string, unknown>;
  readonly error?: Record<string, unknown>;
  readonly meta?: Record<string, unknown>;
  readonly next_step?: string;
  readonly [other: string]: unknown;
}

/** The answer. If the gateway failed, `error` also has the details that the model does not read. */
async function ask(gateway: Gateway, tool: string, args: object): Promise<Answered> {
  const { json, error } = await gateway.call(`gateway.${tool}`, args);
  return { ...(json() as Answered), ...(error === undefined ? {} : { error }) };
}

const ERAS: [string, ClientOptions][] = [
  ["the handshake", {}],
  ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
];

describe.each(ERAS)("a task in two calls, with %s", (_, options) => {
  let shop: Shop;
  let gateway: Gateway;
  beforeAll(async () => {
    shop = await openShop();
    gateway = await connect(shop, options);
  });
  const execute = (toolId: string, params: unknown, chosen?: object) =>
    ask(gateway, "execute", { tool_id: toolId, params, ...(chosen === undefined ? {} : { options: chosen }) });

  it("gets everything that the second call needs from the first", async () => {
    const answer = await ask(gateway, "intent", { query: "charge a customer's card in Nigeria" });
    expect(answer).toMatchObject({
      recommended: { tool_id: "payments:create-charge" },
      ready_to_execute: {
        required_params: ["amount", "currency", "email"],
        param_schemas: {
          amount: expect.stringContaining("Amount in the smallest unit of the currency.") as unknown,
          currency: "'NGN'|'GHS'|'KES'",
          note: "string",
        },
        example: CHARGE,
        constraints: { risk_level: "high", requires_idempotency: true },
      },
    });
    expect(answer.next_step).toContain("gateway.execute");
    expect(answer.next_step).toContain("idempotency_key");
    expect(shop.ledger()).toEqual([]);
  });

  it("charges nothing without a key", async () => {
    const { error } = await execute("payments:create-charge", CHARGE);
    expect(error).toMatchObject({ code: "IDEMPOTENCY_REQUIRED", risk_level: "high", executed: "no" });
    expect(error?.["hint"]).toContain("options.idempotency_key");
    expect(shop.ledger()).toEqual([]);
  });

  it("charges once for a key and replays the first answer", async () => {
    const first = await execute("payments:create-charge", CHARGE, { idempotency_key: "order-1" });
    const data = { id: "ch_1", ...CHARGE, status: "succeeded" };
    expect(first).toEqual({ success: true, data });
    const again = await execute("payments:create-charge", CHARGE, { idempotency_key: "order-1" });
    expect(again).toEqual({ success: true, data, replayed: true });
    const other = await execute("payments:create-charge", { ...CHARGE, amount: 1 }, { idempotency_key: "order-1" });
    expect(other.error).toMatchObject({ code: "IDEMPOTENCY_CONFLICT", executed: "no" });
    expect(shop.ledger()).toEqual([expect.stringMatching(entryOf("charge 5000 NGN ada@example.com"))]);
  });

  it("refunds only after the user has confirmed", async () => {
    const { ready_to_execute: ready, next_step: next } = await ask(gateway, "intent", {
      query: "payments:create-refund",
    });
    expect(ready).toMatchObject({ constraints: { risk_level: "destructive", requires_confirmation: true } });
    expect(next).toContain("Your user has to confirm the call.");
    const refund = (chosen: object) => execute("payments:create-refund", { charge: "ch_1" }, chosen);
    const before = shop.ledger();
    const first = await refund({ idempotency_key: "refund-1", confirmed: true });
    expect(first.error).toMatchObject({ code: "CONFIRMATION_REQUIRED", risk_level: "destructive", executed: "no" });
    expect(shop.ledger()).toEqual(before);
    const second = await refund({ idempotency_key: "refund-1", confirmed: true });
    expect(second).toMatchObject({ success: true, data: { charge: "ch_1", status: "refunded" } });
    expect(shop.ledger()).toEqual([...before, expect.stringMatching(entryOf("refund ch_1"))]);
  });

  it("describes a call in a dry run without sending it", async () => {
    const before = shop.ledger();
    const dry = await execute("payments:create-charge", CHARGE, { dry_run: true, idempotency_key: "order-9" });
    expect(JSON.stringify(dry)).toContain('"dry_run":true');
    expect(shop.ledger()).toEqual(before);
  });
});

describe("a call that cannot be made", () => {
  let shop: Shop;
  let gateway: Gateway;
  beforeAll(async () => {
    shop = await openShop();
    gateway = await connect(shop);
  });

  it("names every invalid parameter and the next step", async () => {
    const params = { amount: "much", currency: "EUR", colour: "red" };
    const { error } = await ask(gateway, "execute", {
      tool_id: "payments:create-charge",
      params,
      options: { idempotency_key: "order-1" },
    });
    expect(error).toMatchObject({ code: "TOOL_VALIDATION_ERROR", executed: "no" });
    const violations = JSON.stringify(error?.["violations"]);
    for (const name of ["amount", "currency", "email"]) expect(violations).toContain(name);
    expect(error?.["signature"]).toContain("create-charge(");
    expect(error).toMatchObject({ retryable: false, next_step: "Follow the hint." });
    expect(shop.ledger()).toEqual([]);
  });

  it.each([
    ["payments:create-chrge", "TOOL_NOT_FOUND", "create-charge"],
    ["payment:create-charge", "SERVER_NOT_FOUND", "payments"],
    ["create-charge", "INVALID_REQUEST", "gateway.intent"],
  ])("to %s is answered with %s and a hint", async (toolId, code, said) => {
    const { error } = await ask(gateway, "execute", { tool_id: toolId, params: {} });
    expect(error).toMatchObject({ code, executed: "no" });
    expect(JSON.stringify(error)).toContain(said);
  });

  it.each([
    ["get-charge", { id: "ch_99" }, 404, "There is no charge ch_99."],
    ["create-charge", { ...CHARGE, amount: 2_000_000 }, 402, "The card does not cover 2000000."],
  ])("because the API rejects %s has its status and its message", async (tool, params, status, said) => {
    const options = { idempotency_key: "order-2" };
    const { error } = await ask(gateway, "execute", { tool_id: `payments:${tool}`, params, options });
    expect(error).toMatchObject({ code: "TOOL_EXECUTION_ERROR", status });
    expect(String(error?.["message"])).toContain(said);
  });

  it("because of a wrong key says where the key is set and never shows it", async () => {
    const wrong = await openShop({}, { PAYMENTS_TOKEN: "sk_test_wrong_77" });
    const other = await connect(wrong);
    const { text } = await other.call("gateway.execute", { tool_id: "payments:list-charges", params: {} });
    expect(JSON.parse(text)).toMatchObject({ error: { code: "UPSTREAM_UNAUTHORIZED" } });
    expect(text).toContain("adapters.payments.auth");
    expect(text).not.toContain("sk_test_wrong_77");
    const { authentication } = await ask(other, "reference", { topic: "payments", section: "authentication" });
    expect(authentication).toMatchObject({ env_var: "PAYMENTS_TOKEN" });
  });

  it("because of a missing variable names it; the tools are still found and described", async () => {
    const bare = await openShop({}, {});
    const other = await connect(bare);
    const found = await ask(other, "intent", { query: "charge a card" });
    expect(found).toMatchObject({ recommended: { tool_id: "payments:create-charge" } });
    const { error } = await ask(other, "execute", { tool_id: "payments:list-charges", params: {} });
    expect(error).toMatchObject({ code: expect.stringMatching(/CONFIG|UNAUTHORIZED/) as unknown, executed: "no" });
    expect(JSON.stringify(error)).toContain("PAYMENTS_TOKEN");
    expect(bare.ledger()).toEqual([]);
  });

  it("returns a choice if the confidence is below the configured minimum", async () => {
    const env = { PAYMENTS_TOKEN: TOKEN, MCP_SEARCH_MIN_CONFIDENCE: "1", MCP_DEFAULT_LIMIT: "1" };
    const other = await connect(await openShop({}, env));
    const choice = await ask(other, "intent", { query: "look at the money of a charge" });
    expect(choice).toMatchObject({ needs_selection: true });
    expect(choice).not.toHaveProperty("ready_to_execute");
    expect((choice["options"] as object[]).length).toBeGreaterThan(2);
    expect(choice.next_step).toContain("gateway.execute");
  });

  it("does not affect adapters, tools and reference", async () => {
    expect(await ask(gateway, "adapters", { country: "NG" })).toMatchObject({
      total: 1,
      adapters: [{ id: "payments", tool_count: 4, auth_type: "bearer", supported_currencies: ["NGN", "GHS", "KES"] }],
    });
    expect(await ask(gateway, "adapters", { country: "FR" })).toMatchObject({ total: 0, adapters: [] });
    expect(await ask(gateway, "tools", { adapter: "payments", category: "refunds" })).toMatchObject({
      tools: [{ tool_id: "payments:create-refund", method: "POST", risk_level: "destructive" }],
    });
    const { text } = await gateway.call("gateway.reference", { topic: "payments" });
    expect(JSON.parse(text)).toMatchObject({
      authentication: { type: "bearer", env_var: "PAYMENTS_TOKEN" },
      overview: { documentation: "https://payments.invalid/docs" },
    });
    expect(text).not.toContain(TOKEN);
  });
});

describe("tools/list", () => {
  const CHARGES = ["create-charge", "create-refund", "get-charge", "list-charges"];
  const BANK = ["create", "delete", "look"];
  const names = async ({ client }: Gateway): Promise<string[]> =>
    (await client.listTools()).tools.map(({ name }) => name);
  const createBank = async (config: object = {}, env: Record<string, string> = {}): Promise<Shop> => {
    const ledger = join(tmpdir(), `bank-${randomUUID()}.txt`);
    closings.push(() => rmSync(ledger, { force: true }));
    const servers = { bank: { ...testServer("ledger.mjs"), env: { LEDGER: ledger } } };
    return await openShop({ servers, ...config }, { PAYMENTS_TOKEN: TOKEN, ...env });
  };
  const textOf = (result: CallToolResult): string =>
    result.content.map((item) => ("text" in item ? item.text : "")).join("");

  it.each([
    ["gateway", GATEWAY],
    ["discovery", DISCOVERY],
  ])("lists exactly five tools in the profile %s, whatever the servers offer", async (profile, expected) => {
    const gateway = await connect(await createBank({ profile }));
    expect((await names(gateway)).toSorted()).toEqual(expected.toSorted());
    expect(gateway.client.getServerCapabilities()?.tools).toEqual({});
  });

  it.each([
    ["the configuration", { mode: "full" }, {}],
    ["MCP_TOOL_MODE", { mode: "lazy" }, { MCP_TOOL_MODE: "full" }],
  ])("lists every enabled tool of servers and adapters when %s sets the full mode", async (_, config, env) => {
    const toolRules = [{ pattern: "bank:look", enabled: false }];
    const gateway = await connect(await createBank({ ...config, toolRules }, env));
    const expected = [
      ...BANK.filter((name) => name !== "look").map((name) => `bank__${name}`),
      ...CHARGES.map((name) => `payments__${name}`),
      "read_result",
    ];
    expect(await names(gateway)).toEqual(expected);
  });

  it("gives names in full mode that are called with the same checks", async () => {
    const shop = await createBank({ mode: "full" });
    const { client } = await connect(shop);
    const call = (name: string, args: Record<string, unknown>, key?: string) =>
      client.callTool({
        name,
        arguments: args,
        ...(key === undefined ? {} : { _meta: { "anygpt/idempotencyKey": key } }),
      });
    const { tools } = await client.listTools();
    const charge = tools.find(({ name }) => name === "payments__create-charge");
    expect(charge).toMatchObject({ inputSchema: { required: ["amount", "currency", "email"] } });
    expect(textOf(await call("bank__look", { name: "ada" }))).toBe("look: ada");
    const made = await call("payments__create-charge", CHARGE, "order-1");
    expect(made.structuredContent).toMatchObject({ id: "ch_1", amount: 5000 });
    expect((await call("payments__create-charge", CHARGE, "order-1")).structuredContent).toEqual(
      made.structuredContent,
    );
    expect(textOf(await call("payments__create-refund", { charge: "ch_1" }, "r-1"))).toContain("CONFIRMATION_REQUIRED");
    expect(shop.ledger()).toEqual([expect.stringMatching(entryOf("charge 5000 NGN ada@example.com"))]);
    await expect(call("bank__forget", {})).rejects.toThrow("bank__forget");
  });

  it("keeps the original tool names in full mode with a single adapter", async () => {
    const gateway = await connect(await openShop({ mode: "full" }));
    expect(await names(gateway)).toEqual([...CHARGES, "read_result"]);
    expect(await gateway.call("list-charges", {})).toMatchObject({ text: '{"charges":[]}', isError: false });
  });

  it("does not reveal in full mode how the gateway calls an API", async () => {
    const shop = await openShop({ mode: "full" });
    const raw = spawnGateway(shop);
    closings.push(() => (raw.process.stdin.end(), raw.exit));
    raw.send(INITIALIZE);
    await raw.answer(0);
    raw.send({ id: 1, method: "tools/list", params: {} });
    const { line } = await raw.answer(1);
    expect(line).toContain('"name":"create-charge"');
    expect(line).not.toContain('"operation"');
    expect(line).not.toContain("/charges");
  });

  it.each(ERAS)("sends a list change notification when a document changes, with %s", async (_, options) => {
    const shop = await openShop({ mode: "full" });
    let changes = 0;
    const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void (changes += 1) } };
    const gateway = await connect(shop, { ...options, listChanged });
    expect(gateway.client.getServerCapabilities()?.tools).toEqual({ listChanged: true });
    expect(await names(gateway)).toEqual([...CHARGES, "read_result"]);
    const before = changes;
    const { "/refunds": _refunds, ...paths } = DOCUMENT.paths;
    shop.writeDocument({ ...DOCUMENT, paths });
    await eventually(() => changes > before);
    await eventually(async () => !(await names(gateway)).includes("create-refund"));
    await eventually(async () => (await names(gateway)).length === 4);
  });
});
