import { describe, expect, it } from "vitest";
import { PAYMENT_SERVERS, setUpPayments } from "../../../test/support/payment-catalog.js";
import { DiscoveryError, ERRORS } from "../../errors.js";
import { localActor } from "../../model/actor.js";
import type { CallResult } from "../../model/call.js";
import type { Connection, ServerDefinition } from "../../model/server.js";
import { describeAuthentication } from "./adapter-facts.js";
import { toRate } from "./ready.js";
import { toTitle } from "./tools.js";

const CHARGE = "paystack:charge-authorization";
const META = {
  adapter: "paystack",
  tool: "charge-authorization",
  request_id: "req_1",
  timestamp: "2026-01-29T10:30:00.000Z",
  operation: { risk_level: "high", idempotent: true, reversible: false, category: "transactions" },
};
const NEXT = "Use data; call gateway.intent for the next task.";

describe("gateway.execute", () => {
  it("wraps what the tool answers, and asks the executor for exactly what was asked for", async () => {
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
        actor: localActor("mcp"),
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

  it("takes any id of the catalog, and parameters left out for none", async () => {
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
      "structured content, told twice",
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
  ])("passes on %s", async (_, result, data, beside) => {
    const { answer } = await setUpPayments({ answer: () => Promise.resolve(result) });
    const { content, isError } = await answer("gateway.execute", { tool_id: CHARGE, params: {} });
    expect(JSON.parse(String(content[0]?.["text"]))).toMatchObject({ success: true, data });
    expect(content.slice(1)).toEqual(beside);
    expect(isError).toBeUndefined();
  });

  it("passes the metadata of an answer on, and says that it is told again", async () => {
    const _meta = { "anygpt/replayed": { request_id: "first" }, other: 1 };
    const { answer } = await setUpPayments({ answer: () => Promise.resolve({ content: [], _meta }) });
    const got = await answer("gateway.execute", { tool_id: CHARGE, params: {} });
    expect(got["_meta"]).toEqual(_meta);
    expect(JSON.parse(String(got.content[0]?.["text"]))).toMatchObject({ meta: { replayed: true } });
  });

  it("tells a tool's own error as one, with what it says in data", async () => {
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
  ] as const)("tells the risk and the next step of a call refused with %s", async (code, next) => {
    const refuse = () =>
      Promise.reject(
        new DiscoveryError(code, "No.", {
          hint: "Ask search_tools.",
          server: "paystack",
          tool: "charge-authorization",
          facts: { x: 1 },
        }),
      );
    const { run } = await setUpPayments({ answer: refuse });
    await expect(run("gateway.execute", { tool_id: CHARGE, params: {} })).rejects.toMatchObject({
      code,
      message: "No.",
      hint: "Ask gateway.intent.",
      facts: { x: 1, risk_level: "high", next_step: expect.stringContaining(next) },
    });
  });

  it.each([
    ["a timeout in seconds", { options: { timeout: 30 } }],
    ["a key that is none", { options: { idempotency_key: "é" } }],
    ["an option that does not exist", { options: { force: true } }],
  ])("refuses %s", async (_, args) => {
    const { run, calls } = await setUpPayments();
    await expect(run("gateway.execute", { tool_id: CHARGE, params: {}, ...args })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
    expect(calls).toEqual([]);
  });

  it("takes the key from the request's metadata as well, but not two", async () => {
    const { run, calls } = await setUpPayments();
    const meta = { "anygpt/idempotencyKey": "k" };
    await run("gateway.execute", { tool_id: CHARGE, params: {} }, { meta });
    expect(calls[0]).toMatchObject({ idempotencyKey: "k" });
    const two = run("gateway.execute", { tool_id: CHARGE, params: {}, options: { idempotency_key: "l" } }, { meta });
    await expect(two).rejects.toMatchObject({ message: expect.stringContaining("gateway.execute was called wrongly") });
  });
});

describe("gateway.adapters", () => {
  it("describes the adapters that the filters let through", async () => {
    const { run } = await setUpPayments();
    expect(await run("gateway.adapters", { category: "payments", country: "NG" })).toEqual({
      total: 1,
      filters_applied: { category: "payments", country: "NG" },
      adapters: [
        {
          id: "paystack",
          name: "Paystack",
          description: "Payment processing for African markets",
          category: "payments",
          capabilities: ["card_payments", "subscriptions", "refunds"],
          supported_countries: ["NG", "GH"],
          supported_currencies: ["NGN", "GHS"],
          tool_count: 4,
          tool_categories: { transactions: 3, refunds: 1 },
          auth_type: "bearer",
          status: "operational",
          common_operations: ["paystack:initialize-transaction", CHARGE],
        },
      ],
      next_step: "Use gateway.intent with your task, or gateway.tools to explore an adapter.",
    });
  });

  it.each([
    [{}, ["paystack", "stripe", "github"]],
    [{ category: "all" }, ["paystack", "stripe", "github"]],
    [{ category: "Charges" }, ["stripe"]],
    [{ capability: "card payments" }, ["paystack", "stripe"]],
    [{ country: "united kingdom" }, ["stripe"]],
    [{ country: "France" }, []],
  ])("lists with %j the adapters %j", async (filters, ids) => {
    const { run } = await setUpPayments();
    const { adapters } = (await run("gateway.adapters", filters)) as { adapters: { id: string }[] };
    expect(adapters.map(({ id }) => id)).toEqual(ids);
  });

  it("shows an MCP server like any adapter, without its disabled tools, and a failed one with its reason", async () => {
    const down = new DiscoveryError("SERVER_CONNECTION_ERROR", "It is down.", { hint: "Start it." });
    const { run } = await setUpPayments({
      servers: [PAYMENT_SERVERS[2]!, [{ ...PAYMENT_SERVERS[1]![0], name: "down" }, down]],
    });
    expect(await run("gateway.adapters", {})).toMatchObject({
      adapters: [
        { id: "github", name: "github", tool_count: 2, auth_type: "environment", status: "operational" },
        { id: "down", tool_count: 0, status: "error", reason: "It is down. Start it." },
      ],
    });
  });

  it("says little of each of many", async () => {
    const many = Array.from({ length: 250 }, (_, n): (typeof PAYMENT_SERVERS)[number] => [
      { ...PAYMENT_SERVERS[2]![0], name: `s${n}` },
      [],
    ]);
    const { run } = await setUpPayments({ servers: many });
    const answer = await run("gateway.adapters", {});
    expect(answer).toMatchObject({ total: 250, adapters: { length: 200 }, more: 50 });
    expect((answer["adapters"] as object[])[0]).toEqual({ id: "s0", name: "s0", tool_count: 0, status: "operational" });
  });

  it("says what to do where there is none", async () => {
    const { run } = await setUpPayments({ servers: [] });
    expect(await run("gateway.adapters", {})).toMatchObject({ next_step: expect.stringContaining("configuration") });
  });
});

describe("gateway.tools", () => {
  it("lists an adapter's tools page by page", async () => {
    const { run } = await setUpPayments();
    expect(await run("gateway.tools", { adapter: "paystack", limit: 1, offset: 1 })).toEqual({
      adapter: "paystack",
      total_tools: 4,
      returned: 1,
      offset: 1,
      categories: ["transactions", "refunds"],
      tools: [
        {
          tool_id: CHARGE,
          name: "Charge Authorization",
          description: "Charge a previously authorized card.",
          category: "transactions",
          method: "POST",
          risk_level: "high",
          required_params: ["amount", "email", "authorization_code"],
          optional_param_count: 1,
        },
      ],
      next_step: "Use gateway.intent with a tool_id as query for its full schema. 2 more from offset 2 on.",
    });
  });

  it.each([
    [{ category: "Refunds" }, 1, ["paystack:create-refund"]],
    [{ search: "refund" }, 1, ["paystack:create-refund"]],
    [{ search: "refund", category: "transactions" }, 0, []],
    [{ category: "none" }, 0, []],
  ])("filters by %j", async (filters, matching, ids) => {
    const { run } = await setUpPayments();
    const answer = await run("gateway.tools", { adapter: "paystack", ...filters });
    expect(answer).toMatchObject({ total_tools: 4, matching, returned: ids.length });
    expect((answer["tools"] as { tool_id: string }[]).map(({ tool_id }) => tool_id)).toEqual(ids);
  });

  it("counts a category and an offset among all that a search finds", async () => {
    const tools = Array.from({ length: 58 }, (_, index) => ({
      name: `refund-${index}`,
      description: "Refund a payment.",
      inputSchema: { type: "object" },
      operation: { method: "POST", path: "/x", parameters: [], category: index < 29 ? "early" : "late" },
    }));
    const { run } = await setUpPayments({ servers: [[PAYMENT_SERVERS[0]![0], tools]] });
    const asked = { adapter: "paystack", search: "refund a payment", limit: 50 };
    expect(await run("gateway.tools", { ...asked, offset: 50 })).toMatchObject({ matching: 58, returned: 8 });
    expect(await run("gateway.tools", { ...asked, category: "late" })).toMatchObject({ matching: 29, returned: 29 });
  });

  it.each([
    ["initialize-transaction", "Initialize Transaction"],
    ["getUserById", "Get User By Id"],
    ["list_all.x", "List All X"],
  ])("makes of %s the title %s", (name, title) => {
    expect(toTitle(name)).toBe(title);
  });
});

describe("gateway.reference", () => {
  it("is thin for an adapter", async () => {
    const { run } = await setUpPayments();
    expect(await run("gateway.reference", { topic: "paystack" })).toEqual({
      topic: "paystack",
      type: "adapter",
      overview: {
        name: "Paystack",
        description: "Payment processing for African markets",
        documentation: "https://paystack.example/docs",
      },
      authentication: { type: "bearer", header: "Authorization: Bearer ***", env_var: "PAYSTACK_SECRET_KEY" },
      examples: [
        {
          title: "Charge Authorization",
          tool_id: CHARGE,
          request: { amount: 500000, email: "customer@example.com", authorization_code: "AUTH_1" },
        },
        {
          title: "Initialize Transaction",
          tool_id: "paystack:initialize-transaction",
          request: { amount: 1, email: "name@example.com" },
        },
      ],
      common_errors: [
        {
          code: "401",
          meaning: "The credentials are missing or wrong.",
          fix: "A person checks PAYSTACK_SECRET_KEY.",
        },
        {
          code: "403",
          meaning: "The credentials do not allow it.",
          fix: "A person checks what PAYSTACK_SECRET_KEY may do.",
        },
        {
          code: "429",
          meaning: "Too many requests.",
          fix: "Wait as long as it says, then repeat the call with the same idempotency key.",
        },
      ],
      best_practices: [
        "2 of 4 tools need options.idempotency_key; reuse the same key when you repeat a call.",
        "1 of 4 tools needs a confirmation before running.",
        "options.dry_run says what a call would do without sending it.",
      ],
      next_step: 'Use gateway.intent with your task and adapter "paystack".',
    });
  });

  it.each([
    ["overview", ["overview"]],
    ["authentication", ["authentication"]],
    ["errors", ["common_errors"]],
    ["webhooks", ["webhooks"]],
    ["best_practices", ["best_practices"]],
    ["all", ["overview", "authentication", "examples", "common_errors", "best_practices"]],
  ])("gives the section %s of a tool and no other", async (section, members) => {
    const { run } = await setUpPayments();
    const answer = await run("gateway.reference", { topic: CHARGE, section });
    expect(Object.keys(answer)).toEqual(["topic", "type", ...members, "next_step"]);
  });

  it("tells a tool's own errors with what to do, and where its documentation is", async () => {
    const { run } = await setUpPayments();
    expect(await run("gateway.reference", { topic: CHARGE })).toMatchObject({
      type: "tool",
      overview: {
        method: "POST",
        path: "/transaction/charge_authorization",
        documentation: "https://paystack.example/docs/charge",
        constraints: { risk_level: "high" },
      },
      common_errors: [
        { code: "400", meaning: "The authorization is invalid.", fix: "Check params against their types." },
        { code: "401", meaning: "The key is invalid.", fix: "A person checks PAYSTACK_SECRET_KEY." },
      ],
      best_practices: ["It needs options.idempotency_key; reuse the same key when you repeat a call.", {}],
    });
  });

  it("says nothing of a disabled tool", async () => {
    const { run } = await setUpPayments();
    await expect(run("gateway.reference", { topic: "github:delete_repo" })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
  });

  it.each([
    ["idempotency", {}, "Calls of risk high or more need"],
    ["Idempotency key", { idempotency: { requiredFrom: { gateway: "never" } } }, "never required"],
    ["confirmation", {}, "Calls of risk destructive or more have to be confirmed."],
    ["confirmation", { confirmation: { mode: "never" } }, "No call has to be confirmed."],
    ["dry-run", {}, "sends nothing"],
    ["rate limit", {}, "RATE_LIMITED"],
    ["risk", {}, "high when nobody says anything"],
    ["auth", {}, "never pass through you"],
  ])("explains %s under the policy %j as it is", async (topic, policy, text) => {
    const { run } = await setUpPayments({ policy });
    expect(await run("gateway.reference", { topic })).toMatchObject({
      type: "concept",
      description: expect.stringContaining(text),
    });
  });

  it("names how a person confirms where only a person may", async () => {
    const { run } = await setUpPayments({ policy: { confirmation: { mode: "human" } } });
    expect(JSON.stringify(await run("gateway.reference", { topic: "confirmation" }))).toContain("anygpt mcp approve");
  });

  it("has every error", async () => {
    const { run } = await setUpPayments();
    const { common_errors: errors } = (await run("gateway.reference", { topic: "errors" })) as {
      common_errors: { code: string }[];
    };
    expect(errors.map(({ code }) => code)).toEqual(Object.keys(ERRORS));
  });
});

describe("describeAuthentication", () => {
  const rest = { kind: "rest", document: "/d", headers: {}, uploads: [], operations: [] } as const;
  it.each<[string, Connection, object]>([
    ["none", { ...rest }, { type: "none", variables: [] }],
    [
      "basic",
      { ...rest, auth: { kind: "basic", username: "${U}", password: "${P:-x}" } },
      { type: "basic", header: "Authorization: Basic ***", variables: ["U", "P"] },
    ],
    [
      "a key in a header",
      { ...rest, auth: { kind: "api-key", in: "header", name: "X-Key", value: "${K}" } },
      { type: "api_key", header: "X-Key: ***", variables: ["K"] },
    ],
    [
      "a key elsewhere, written down",
      { ...rest, auth: { kind: "api-key", in: "query", name: "key", value: "literal-secret" } },
      { type: "api_key", variables: [] },
    ],
    [
      "client credentials",
      {
        ...rest,
        headers: { "X-Org": "${ORG}" },
        auth: { kind: "client-credentials", tokenUrl: "https://t", clientId: "${I}", clientSecret: "${S}", scopes: [] },
      },
      { type: "oauth2", header: "Authorization: Bearer ***", variables: ["I", "S", "ORG"] },
    ],
    [
      "a header",
      { kind: "http", url: "https://x", headers: { Authorization: "Bearer ${T}" } },
      { type: "bearer", header: "Authorization: ***", variables: ["T"] },
    ],
    ["other headers", { kind: "sse", url: "https://x", headers: { a: "b" } }, { type: "headers", variables: [] }],
    ["no variable", { kind: "stdio", command: "x", args: [], env: {} }, { type: "none", variables: [] }],
  ])("tells %s without a value", (_, connection, expected) => {
    const told = describeAuthentication(connection);
    expect(told).toEqual(expected);
    expect(JSON.stringify(told)).not.toContain("literal-secret");
  });
});

describe("toRate", () => {
  it.each([
    [100, 60_000, "100 req/min"],
    [5, 1_000, "5 req/s"],
    [9, 30_000, "9 req/30 s"],
  ])("writes %d in %d ms as %s", (calls, perMs, text) => {
    expect(toRate({ name: "b", per: "actor", calls, perMs })).toBe(text);
  });
});
