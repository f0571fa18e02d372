import { describe, expect, it } from "vitest";
import { PAYMENT_SERVERS, setUpPayments } from "../../../test/support/payment-catalog.js";
import { DiscoveryError, ERRORS } from "../../errors.js";
import type { ServerConnection } from "../../model/server.js";
import { describeAuthentication } from "./adapter-facts.js";
import { toRate } from "./ready.js";
import { toTitle } from "./tools.js";

const CHARGE = "paystack:charge-authorization";

describe("gateway.adapters", () => {
  it("describes the adapters that match the filters", async () => {
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
  ])("with the filters %j lists the adapters %j", async (filters, ids) => {
    const { run } = await setUpPayments();
    const { adapters } = (await run("gateway.adapters", filters)) as { adapters: { id: string }[] };
    expect(adapters.map(({ id }) => id)).toEqual(ids);
  });

  it("shows an MCP server as an adapter without its disabled tools, and a failed one with the reason", async () => {
    const down = new DiscoveryError("SERVER_CONNECTION_ERROR", "It is down.", { hint: "Start it." });
    const { run } = await setUpPayments({
      servers: [PAYMENT_SERVERS[2]!, [{ ...PAYMENT_SERVERS[1]![0], name: "down" }, down]],
    });
    expect(await run("gateway.adapters", {})).toMatchObject({
      adapters: [
        { id: "github", tool_count: 2, auth_type: "environment", status: "operational" },
        { id: "down", tool_count: 0, status: "error", reason: "It is down. Start it." },
      ],
    });
  });

  it("describes each of many adapters briefly", async () => {
    const many = Array.from({ length: 250 }, (_, n): (typeof PAYMENT_SERVERS)[number] => [
      { ...PAYMENT_SERVERS[2]![0], name: `s${n}` },
      [],
    ]);
    const { run } = await setUpPayments({ servers: many });
    const answer = await run("gateway.adapters", {});
    expect(answer).toMatchObject({ total: 250, adapters: { length: 200 }, more: 50 });
    expect((answer["adapters"] as object[])[0]).toEqual({ id: "s0", tool_count: 0, status: "operational" });
  });

  it("names the next step if there is no adapter", async () => {
    const { run } = await setUpPayments({ servers: [] });
    expect(await run("gateway.adapters", {})).toMatchObject({ next_step: expect.stringContaining("configuration") });
  });
});

describe("gateway.tools", () => {
  it("lists the tools of an adapter in pages", async () => {
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
          description: "Charge a previously authorized card.",
          category: "transactions",
          method: "POST",
          risk_level: "high",
          required_params: ["amount", "email", "authorization_code"],
          optional_param_count: 1,
        },
      ],
      next_step: "gateway.intent with a tool_id describes its parameters. 2 more tools follow from offset 2.",
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

  it("applies category and offset to all hits of a search", async () => {
    const tools = Array.from({ length: 58 }, (_, index) => ({
      name: `refund-${index}`,
      description: "Refund a payment.",
      inputSchema: { type: "object" },
      operation: { method: "POST", path: "/x", parameters: [], category: index < 29 ? "early" : "late" },
    }));
    const { run } = await setUpPayments({ servers: [[PAYMENT_SERVERS[0]![0], tools]] });
    const request = { adapter: "paystack", search: "refund a payment", limit: 50 };
    expect(await run("gateway.tools", { ...request, offset: 50 })).toMatchObject({ matching: 58, returned: 8 });
    expect(await run("gateway.tools", { ...request, category: "late" })).toMatchObject({ matching: 29, returned: 29 });
  });

  it.each([
    ["initialize-transaction", "Initialize Transaction"],
    ["getUserById", "Get User By Id"],
    ["list_all.x", "List All X"],
  ])("converts the name %s to the title %s", (name, title) => {
    expect(toTitle(name)).toBe(title);
  });
});

describe("gateway.reference", () => {
  it("describes an adapter", async () => {
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
          fix: "Ask the operator to check PAYSTACK_SECRET_KEY.",
        },
        {
          code: "403",
          meaning: "The credentials do not permit this operation.",
          fix: "Ask the operator to check the permissions of PAYSTACK_SECRET_KEY.",
        },
        {
          code: "429",
          meaning: "Too many requests.",
          fix: "Wait for the time that the error states, then repeat the call with the same idempotency key.",
        },
      ],
      best_practices: [
        "3 of 4 tools need options.idempotency_key; reuse the same key when you repeat a call.",
        "2 of 4 tools need a confirmation by the user.",
        "options.dry_run reports what a call would do without sending it.",
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
  ])("returns only the section %s of a tool", async (section, members) => {
    const { run } = await setUpPayments();
    const answer = await run("gateway.reference", { topic: CHARGE, section });
    expect(Object.keys(answer)).toEqual(["topic", "type", ...members, "next_step"]);
  });

  it("returns the documented errors of a tool with fixes, and its documentation", async () => {
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
        { code: "401", meaning: "The key is invalid.", fix: "Ask the operator to check PAYSTACK_SECRET_KEY." },
      ],
      best_practices: ["It needs options.idempotency_key; reuse the same key when you repeat a call.", {}],
    });
  });

  it("rejects a disabled tool as topic", async () => {
    const { run } = await setUpPayments();
    await expect(run("gateway.reference", { topic: "github:delete_repo" })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
  });

  it.each([
    ["idempotency", {}, "Calls of risk high or more need"],
    ["Idempotency key", { idempotency: { requiredFrom: { gateway: "never" } } }, "never required"],
    ["confirmation", {}, "Calls of risk destructive or more need a confirmation by the user."],
    ["confirmation", { confirmation: { mode: "never" } }, "No call needs a confirmation."],
    ["dry-run", {}, "sends nothing"],
    ["rate limit", {}, "RATE_LIMITED"],
    ["risk", {}, "If none does, the risk is high"],
    ["auth", {}, "The gateway adds the credentials to each call"],
  ])("explains %s under the policy %j", async (topic, policy, text) => {
    const { run } = await setUpPayments({ policy });
    expect(await run("gateway.reference", { topic })).toMatchObject({
      type: "concept",
      description: expect.stringContaining(text),
    });
  });

  it("names the command for confirmation if only a user may confirm", async () => {
    const { run } = await setUpPayments({ policy: { confirmation: { mode: "human" } } });
    expect(JSON.stringify(await run("gateway.reference", { topic: "confirmation" }))).toContain("anygpt mcp approve");
  });

  it("lists every error code", async () => {
    const { run } = await setUpPayments();
    const { common_errors: errors } = (await run("gateway.reference", { topic: "errors" })) as {
      common_errors: { code: string }[];
    };
    expect(errors.map(({ code }) => code)).toEqual(Object.keys(ERRORS));
  });
});

describe("describeAuthentication", () => {
  const rest = { kind: "rest", document: "/d", headers: {}, uploads: [], operations: [] } as const;
  it.each<[string, ServerConnection, object]>([
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
      "a literal key in the query",
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
  ])("reports %s without secret values", (_, connection, expected) => {
    const described = describeAuthentication(connection);
    expect(described).toEqual(expected);
    expect(JSON.stringify(described)).not.toContain("literal-secret");
  });
});

describe("toRate", () => {
  it.each([
    [100, 60_000, "100 req/min"],
    [5, 1_000, "5 req/s"],
    [9, 30_000, "9 req/30 s"],
  ])("formats %d calls per %d ms as %s", (calls, perMs, text) => {
    expect(toRate({ name: "b", per: "actor", calls, perMs })).toBe(text);
  });
});
