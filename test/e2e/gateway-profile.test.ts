import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { CallToolResult, ClientOptions } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import {
  ANYGPT,
  connectGateway,
  type Gateway,
  type Home,
  INITIALIZE,
  spawnGateway,
  testServer,
} from "../support/gateway.js";
import { CHARGE, createShop, DOCUMENT, endProcess, type Shop, TOKEN } from "../support/shop.js";

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

const ask = async (gateway: Gateway, tool: string, args: object): Promise<Answered> =>
  (await gateway.call(`gateway.${tool}`, args)).json() as Answered;

async function run(home: Home, ...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const args = [ANYGPT, ...words, "--config", home.config];
  return await promisify(execFile)(process.execPath, args, { env: home.env, cwd: home.folder }).then(
    (done) => ({ code: 0, ...done }),
    (failed: { code: number; stdout: string; stderr: string }) => failed,
  );
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

  it("is told everything that the second call needs by the first", async () => {
    const answer = await ask(gateway, "intent", { query: "charge a customer's card in Nigeria" });
    expect(answer).toMatchObject({
      recommended: { adapter: "payments", tool: "create-charge", tool_id: "payments:create-charge" },
      ready_to_execute: {
        tool_id: "payments:create-charge",
        required_params: ["amount", "currency", "email"],
        optional_params: ["note"],
        param_schemas: {
          amount: { description: "Amount in the smallest unit of the currency." },
          currency: { type: "'NGN'|'GHS'|'KES'" },
        },
        example: CHARGE,
        constraints: { risk_level: "high", requires_idempotency: true, requires_confirmation: false },
      },
      missing_inputs: [{ field: "amount" }, { field: "currency" }, { field: "email" }],
      search_context: { mode: "global", matched_adapters: expect.arrayContaining(["payments"]) as unknown },
    });
    expect(answer.next_step).toContain("gateway.execute");
    expect(answer.next_step).toContain("idempotency_key");
    expect(shop.ledger()).toEqual([]);
  });

  it("charges nothing without a key", async () => {
    const { error } = await execute("payments:create-charge", CHARGE);
    expect(error).toMatchObject({ code: "IDEMPOTENCY_REQUIRED", risk_level: "high", executed: "no" });
    expect(error?.["next_step"]).toContain("gateway.execute");
    expect(shop.ledger()).toEqual([]);
  });

  it("charges once for a key, and tells the first answer again", async () => {
    const first = await execute("payments:create-charge", CHARGE, { idempotency_key: "order-1" });
    const data = { id: "ch_1", ...CHARGE, status: "succeeded" };
    expect(first).toMatchObject({
      success: true,
      tool_id: "payments:create-charge",
      data,
      meta: { adapter: "payments", tool: "create-charge", operation: { risk_level: "high", category: "charges" } },
    });
    expect(first.meta).not.toHaveProperty("replayed");
    const again = await execute("payments:create-charge", CHARGE, { idempotency_key: "order-1" });
    expect(again).toMatchObject({ success: true, data, meta: { replayed: true } });
    const other = await execute("payments:create-charge", { ...CHARGE, amount: 1 }, { idempotency_key: "order-1" });
    expect(other.error).toMatchObject({ code: "IDEMPOTENCY_CONFLICT", executed: "no" });
    expect(shop.ledger()).toEqual(["charge 5000 NGN ada@example.com key=order-1"]);
  });

  it("refunds only after its user has agreed", async () => {
    const { ready_to_execute: ready, next_step: next } = await ask(gateway, "intent", {
      query: "payments:create-refund",
    });
    expect(ready).toMatchObject({ constraints: { risk_level: "destructive", requires_confirmation: true } });
    expect(next).toContain("confirmed");
    const refund = (chosen: object) => execute("payments:create-refund", { charge: "ch_1" }, chosen);
    const before = shop.ledger();
    const first = await refund({ idempotency_key: "refund-1", confirmed: true });
    expect(first.error).toMatchObject({ code: "CONFIRMATION_REQUIRED", risk_level: "destructive", executed: "no" });
    expect(shop.ledger()).toEqual(before);
    const second = await refund({ idempotency_key: "refund-1", confirmed: true });
    expect(second).toMatchObject({ success: true, data: { charge: "ch_1", status: "refunded" } });
    expect(shop.ledger()).toEqual([...before, "refund ch_1 key=refund-1"]);
  });

  it("says what a call would do without sending it", async () => {
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

  it("names every parameter that does not fit, and where they are told", async () => {
    const params = { amount: "much", currency: "EUR", colour: "red" };
    const { error } = await ask(gateway, "execute", {
      tool_id: "payments:create-charge",
      params,
      options: { idempotency_key: "order-1" },
    });
    expect(error).toMatchObject({ code: "TOOL_VALIDATION_ERROR", executed: "no" });
    const violations = JSON.stringify(error?.["violations"]);
    for (const name of ["amount", "currency", "email"]) expect(violations).toContain(name);
    expect(error?.["next_step"]).toContain("payments:create-charge");
    expect(shop.ledger()).toEqual([]);
  });

  it.each([
    ["payments:create-chrge", "TOOL_NOT_FOUND", "create-charge"],
    ["payment:create-charge", "SERVER_NOT_FOUND", "payments"],
    ["create-charge", "INVALID_REQUEST", "gateway.intent"],
  ])("to %s is answered with %s and the way on", async (toolId, code, said) => {
    const { error } = await ask(gateway, "execute", { tool_id: toolId, params: {} });
    expect(error).toMatchObject({ code, executed: "no" });
    expect(JSON.stringify(error)).toContain(said);
  });

  it.each([
    ["get-charge", { id: "ch_99" }, 404, "There is no charge ch_99."],
    ["create-charge", { ...CHARGE, amount: 2_000_000 }, 402, "The card does not cover 2000000."],
  ])("because the API refuses %s has its status and its own words", async (tool, params, status, said) => {
    const options = { idempotency_key: "order-2" };
    const { error } = await ask(gateway, "execute", { tool_id: `payments:${tool}`, params, options });
    expect(error).toMatchObject({ code: "TOOL_EXECUTION_ERROR", status });
    expect(String(error?.["message"])).toContain(said);
  });

  it("for want of the right key says where that is set, and never what it is", async () => {
    const wrong = await openShop({}, { PAYMENTS_TOKEN: "sk_test_wrong_77" });
    const other = await connect(wrong);
    const { text } = await other.call("gateway.execute", { tool_id: "payments:list-charges", params: {} });
    expect(JSON.parse(text)).toMatchObject({ error: { code: "UPSTREAM_UNAUTHORIZED" } });
    expect(text).toContain("adapters.payments.auth");
    expect(text).not.toContain("sk_test_wrong_77");
    const { authentication } = await ask(other, "reference", { topic: "payments", section: "authentication" });
    expect(authentication).toMatchObject({ env_var: "PAYMENTS_TOKEN" });
  });

  it("for want of a variable names it; the tools are found and described all the same", async () => {
    const bare = await openShop({}, {});
    const other = await connect(bare);
    const found = await ask(other, "intent", { query: "charge a card" });
    expect(found).toMatchObject({ recommended: { tool_id: "payments:create-charge" } });
    const { error } = await ask(other, "execute", { tool_id: "payments:list-charges", params: {} });
    expect(error).toMatchObject({ code: expect.stringMatching(/CONFIG|UNAUTHORIZED/) as unknown, executed: "no" });
    expect(JSON.stringify(error)).toContain("PAYMENTS_TOKEN");
    expect(bare.ledger()).toEqual([]);
  });

  it("is not guessed: below the confidence that the environment asks for there is a choice", async () => {
    const env = { PAYMENTS_TOKEN: TOKEN, MCP_SEARCH_MIN_CONFIDENCE: "1", MCP_DEFAULT_LIMIT: "1" };
    const other = await connect(await openShop({}, env));
    const choice = await ask(other, "intent", { query: "look at the money of a charge" });
    expect(choice).toMatchObject({ needs_selection: true });
    expect(choice).not.toHaveProperty("ready_to_execute");
    expect(choice["options"]).toHaveLength(2);
    expect(choice.next_step).toContain("tool_id");
  });

  it("leaves the rest of the profile at work: adapters, tools and reference", async () => {
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
  ])("is exactly five tools in the profile %s, whatever there is behind it", async (profile, expected) => {
    const gateway = await connect(await createBank({ profile }));
    expect((await names(gateway)).toSorted()).toEqual(expected.toSorted());
    expect(gateway.client.getServerCapabilities()?.tools).toEqual({});
  });

  it.each([
    ["the configuration", { mode: "full" }, {}],
    ["MCP_TOOL_MODE", { mode: "lazy" }, { MCP_TOOL_MODE: "full" }],
  ])("is every enabled tool of servers and adapters when %s says full", async (_, config, env) => {
    const toolRules = [{ pattern: "bank:look", enabled: false }];
    const gateway = await connect(await createBank({ ...config, toolRules }, env));
    const expected = [
      ...BANK.filter((name) => name !== "look").map((name) => `bank__${name}`),
      ...CHARGES.map((name) => `payments__${name}`),
    ];
    expect(await names(gateway)).toEqual(expected);
  });

  it("gives in full mode names that are called like any other, past the same guards", async () => {
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
    expect(shop.ledger()).toEqual(["charge 5000 NGN ada@example.com key=order-1"]);
    await expect(call("bank__forget", {})).rejects.toThrow("bank__forget");
  });

  it("has the tools' own names in full mode where there is one adapter only", async () => {
    const gateway = await connect(await openShop({ mode: "full" }));
    expect(await names(gateway)).toEqual(CHARGES);
    expect(await gateway.call("list-charges", {})).toMatchObject({ text: '{"charges":[]}', isError: false });
  });

  it("tells in full mode nothing of how the gateway calls an API", async () => {
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

  it.each(ERAS)("is told to have changed when a document does, with %s", async (_, options) => {
    const shop = await openShop({ mode: "full" });
    let changes = 0;
    const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void (changes += 1) } };
    const gateway = await connect(shop, { ...options, listChanged });
    expect(gateway.client.getServerCapabilities()?.tools).toEqual({ listChanged: true });
    expect(await names(gateway)).toEqual(CHARGES);
    const before = changes;
    const { "/refunds": _refunds, ...paths } = DOCUMENT.paths;
    shop.writeDocument({ ...DOCUMENT, paths });
    await eventually(() => changes > before, 15_000);
    await eventually(async () => !(await names(gateway)).includes("create-refund"), 15_000);
    await eventually(async () => (await names(gateway)).length === 3, 15_000);
  });
});

describe("the same adapter over HTTP", () => {
  it("charges once for an Idempotency-Key and says which answer is told again", async () => {
    const shop = await openShop();
    const { url, token } = await serve(shop);
    const post = async (tool: string, body: object, headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/api/adapters/payments/tools/${tool}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return { response, json: (await response.json()) as Record<string, unknown> };
    };
    const key = { "idempotency-key": "order-1" };
    const first = await post("create-charge", CHARGE, key);
    expect([first.response.status, first.json]).toMatchObject([200, { success: true, result: { id: "ch_1" } }]);
    expect(first.response.headers.get("idempotent-replayed")).toBeNull();
    const again = await post("create-charge", CHARGE, key);
    expect(again.response.headers.get("idempotent-replayed")).toBe("true");
    expect(again.json).toMatchObject({ result: first.json["result"], replayed: true });
    const refund = await post("create-refund", { charge: "ch_1" }, { "x-anygpt-confirmed": "true" });
    expect([refund.response.status, refund.json["code"]]).toEqual([403, "CONFIRMATION_REQUIRED"]);
    expect(shop.ledger()).toEqual(["charge 5000 NGN ada@example.com key=order-1"]);
    const missing = await post("get-charge", { id: "ch_9" });
    expect(missing.response.headers.get("content-type")).toBe("application/problem+json");
    expect(missing.json).toMatchObject({
      code: "TOOL_EXECUTION_ERROR",
      detail: expect.stringContaining("ch_9") as unknown,
    });
  });
});

async function serve(home: Home): Promise<{ url: string; token: string }> {
  const words = [ANYGPT, "mcp", "serve", "--http", "--port", "0", "--config", home.config];
  const child = spawn(process.execPath, words, { env: home.env, stdio: ["ignore", "ignore", "pipe"] });
  closings.push(() => endProcess(child));
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /Serving on (http:\S+),/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stderr.resume();
    return { url, token: readFileSync(join(home.folder, "state/http.token"), "utf8").trim() };
  }
  throw new Error("The gateway ended before it served.");
}

describe("the exported registry", () => {
  it("says what the catalog says, and switches gateway.intent off once it does not", async () => {
    const shop = await openShop({ gateway: { registry: "operations.json" } });
    const file = join(shop.folder, "operations.json");
    expect(await run(shop, "mcp", "registry", "export")).toMatchObject({ code: 0 });
    const registry = JSON.parse(readFileSync(file, "utf8")) as { operations: Record<string, object> };
    expect(registry).toMatchObject({
      schema_version: "1.0.0",
      operation_count: 4,
      operations: {
        "payments:create-charge": {
          method: "POST",
          path: "/charges",
          risk_level: "high",
          required_params: ["amount", "currency", "email"],
          tags: expect.arrayContaining(["payments", "ngn"]) as unknown,
        },
      },
    });
    expect((await run(shop, "mcp", "registry", "check")).code).toBe(0);
    const query = "charge a card";
    const fresh = await connect(shop);
    expect(await ask(fresh, "intent", { query })).toMatchObject({
      recommended: { tool_id: "payments:create-charge" },
    });
    await fresh.close();

    const { "payments:create-refund": refund, ...others } = registry.operations;
    const operations = { ...others, "payments:create-refund": { ...refund, risk_level: "low" } };
    writeFileSync(file, JSON.stringify({ ...registry, operations }));
    const checked = await run(shop, "mcp", "registry", "check");
    expect(checked.code).toBe(2);
    expect(checked.stdout + checked.stderr).toContain("payments:create-refund");
    const stale = await connect(shop);
    const { error } = await ask(stale, "intent", { query });
    expect(error).toMatchObject({ code: "CONFIGURATION_ERROR" });
    expect(JSON.stringify(error)).toContain("payments:create-refund");
    expect(error?.["next_step"]).toContain("gateway.tools");
    const listed = await ask(stale, "execute", { tool_id: "payments:list-charges", params: {} });
    expect(listed).toMatchObject({ success: true });
  });
});
