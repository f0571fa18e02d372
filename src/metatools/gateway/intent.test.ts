import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PAYMENT_SERVERS, setUpPayments } from "../../../test/support/payment-catalog.js";
import { DiscoveryError } from "../../errors.js";
import { toRegistry, toRegistryText } from "../../registry/registry.js";
import { fitContext, toConfidences } from "./context-fit.js";
import { listOperations } from "./operations.js";
import { findCountry, findCurrency, isSameCountry } from "./countries-and-currencies.js";

const CHARGE = "paystack:charge-authorization";

describe("gateway.intent", () => {
  it("returns everything that is needed for a call", async () => {
    const { run } = await setUpPayments();
    expect(await run("gateway.intent", { query: CHARGE })).toEqual({
      recommended: { tool_id: CHARGE, confidence: 1 },
      ready_to_execute: {
        required_params: ["amount", "email", "authorization_code"],
        param_schemas: {
          amount: "integer: Amount in kobo",
          email: expect.stringMatching(/^string/) as string,
          authorization_code: "string: The authorization code of an earlier charge",
          reference: "string",
        },
        example: { amount: 500000, email: "customer@example.com", authorization_code: "AUTH_1" },
        constraints: { risk_level: "high", requires_idempotency: true, rate_limit: "100 req/min" },
      },
      next_step: "Call gateway.execute with options.idempotency_key.",
    });
  });

  it("has missing_inputs only if the query states a value, and then only the other parameters", async () => {
    const { run } = await setUpPayments();
    const answer = await run("gateway.intent", { query: "create an issue in a repository with title 'Broken'" });
    expect(answer).toMatchObject({ recommended: { tool_id: "github:create_issue" } });
    const { missing_inputs: missing, ready_to_execute: ready } = answer as {
      missing_inputs: string[];
      ready_to_execute: { example: object };
    };
    expect(ready.example).toEqual({ title: "Broken" });
    expect(missing).toEqual(["repo"]);
  });

  it("returns as many alternatives as the caller requests, each with its signature", async () => {
    const { run } = await setUpPayments();
    const answer = await run("gateway.intent", { query: "create an issue in a repository", limit: 1 });
    expect(answer).toMatchObject({ recommended: { tool_id: "github:create_issue" } });
    expect(answer["alternatives"]).toEqual([
      {
        tool_id: "stripe:create-refund",
        confidence: expect.any(Number),
        signature: expect.stringMatching(/^\(.*\)$/),
        risk_level: "destructive",
      },
    ]);
  });

  it("omits alternatives less than half as likely as the recommended tool, unless the caller passes a limit", async () => {
    const { run } = await setUpPayments();
    const idsOf = async (args: object) =>
      ((await run("gateway.intent", args))["alternatives"] ?? []) as { confidence: number }[];
    const query = "create an issue in a repository";
    const all = await idsOf({ query, limit: 3 });
    expect(all.length).toBeGreaterThan(1);
    expect(await idsOf({ query })).toEqual(all.filter(({ confidence }) => confidence >= 0.5));
  });

  it("recommends nothing below minConfidence, and returns up to eight options with their requests", async () => {
    const { run } = await setUpPayments({ gateway: { minConfidence: 0.98 } });
    const answer = await run("gateway.intent", { query: "charge a card", limit: 1 });
    expect(answer).toMatchObject({
      needs_selection: true,
      options: expect.arrayContaining([
        expect.objectContaining({
          tool_id: "stripe:charge-card",
          description: "Charge a card.",
          signature: "(amount: integer)",
          risk_level: "high",
        }),
      ]) as object[],
    });
    expect(answer).not.toHaveProperty("recommended");
    expect(answer).not.toHaveProperty("ready_to_execute");
    const more = await run("gateway.intent", { query: "charge a card", limit: 50 });
    const options = more["options"] as { tool_id: string; confidence: number }[];
    expect(options.length).toBeGreaterThan(3);
    expect(options.length).toBeLessThanOrEqual(8);
    const confidences = options.map(({ confidence }) => confidence);
    expect(confidences).toEqual(confidences.toSorted((a, b) => b - a));
  });

  it("returns tools with the same name as options, unless the context decides", async () => {
    const { run } = await setUpPayments();
    expect(await run("gateway.intent", { query: "create-refund" })).toMatchObject({
      needs_selection: true,
      options: [
        { tool_id: "paystack:create-refund", confidence: 0.5 },
        { tool_id: "stripe:create-refund", confidence: 0.5 },
      ],
    });
    const query = "create-refund";
    expect(await run("gateway.intent", { query, limit: 1, context: { country: "Ghana" } })).toMatchObject({
      recommended: {
        tool_id: "paystack:create-refund",
        confidence: 0.95,
        why: "paystack lists the country GH.",
      },
      alternatives: [
        { tool_id: "stripe:create-refund", confidence: 0.05, why: expect.stringContaining("does not list") as string },
      ],
      next_step: expect.stringContaining("Your user has to confirm the call."),
    });
    expect(await run("gateway.intent", { query: "create-refund", adapter: "stripe" })).toMatchObject({
      recommended: { tool_id: "stripe:create-refund", confidence: 1 },
    });
  });

  it.each([
    ["a country code in the context", { query: "charge a card", context: { country: "NG" } }, CHARGE],
    ["a country name in the context", { query: "charge a card", context: { country: "nigeria" } }, CHARGE],
    ["a country in the query", { query: "charge a card in Nigeria" }, CHARGE],
    ["a currency in the query", { query: "charge a card in GHS" }, CHARGE],
    ["a currency in the context", { query: "charge a card", context: { currency: "usd" } }, "stripe:charge-card"],
    ["a country of another adapter", { query: "charge a card", context: { country: "US" } }, "stripe:charge-card"],
    ["only the query", { query: "charge a card" }, "stripe:charge-card"],
  ])("ranks adapters by %s", async (_, args, first) => {
    const { run } = await setUpPayments({ gateway: { minConfidence: 0 } });
    expect(await run("gateway.intent", args)).toMatchObject({ recommended: { tool_id: first } });
  });

  it("prefers an adapter with a capability for the use case", async () => {
    const { run } = await setUpPayments({ gateway: { minConfidence: 0 } });
    const context = { use_case: "subscription" };
    expect(await run("gateway.intent", { query: "charge an authorized card", context })).toMatchObject({
      recommended: {
        tool_id: CHARGE,
        why: expect.stringContaining('"subscriptions" fits the use case subscription'),
      },
    });
  });

  it.each([
    ["one-time", ["one-time-payment", "pay_once", "singleCharge"], ["charge-card", "create-checkout"]],
    ["subscription", ["create-subscription", "recurring"], ["list-plans", "subscribe-webhook", "subscribers"]],
    ["marketplace", ["marketplace", "list-splits", "create-subaccount"], ["connect-device", "create-payout"]],
  ] as const)("matches the use case %s only with names that state it", async (use_case, matching, others) => {
    const { operations, snapshot } = await setUpPayments();
    const [tool] = [...snapshot().tools.values()];
    const { tags: _tags, category: _category, ...operation } = operations.of(tool!, undefined);
    const fits = (name: string) =>
      fitContext({ use_case }, { ...operation, tags: [], tool: name }, undefined).factor > 1;
    expect(matching.filter((name) => !fits(name))).toEqual([]);
    expect(others.filter(fits)).toEqual([]);
  });

  it("searches only the requested adapter", async () => {
    const { run } = await setUpPayments({ gateway: { minConfidence: 0 } });
    expect(await run("gateway.intent", { query: "charge a card", adapter: "paystack" })).toMatchObject({
      recommended: { tool_id: expect.stringMatching(/^paystack:/) as string },
    });
  });

  it("reports the country and the currency that it reads from the query", async () => {
    const { run } = await setUpPayments({ gateway: { minConfidence: 0 } });
    expect(await run("gateway.intent", { query: "charge a card in Nigeria" })).toMatchObject({
      search_context: { query_interpreted: "country NG" },
    });
    const given = await run("gateway.intent", { query: "charge a card", context: { country: "NG" } });
    expect(given).not.toHaveProperty("search_context");
  });

  it("has no member twice", async () => {
    const { run } = await setUpPayments({ gateway: { minConfidence: 0 } });
    const answer = await run("gateway.intent", { query: "charge a card in Nigeria", limit: 3 });
    const ids = JSON.stringify(answer).match(/"[a-z]+:[a-z-_]+"/g) ?? [];
    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("lists the three closest tools with a note if no tool fits", async () => {
    const { run } = await setUpPayments();
    const answer = await run("gateway.intent", { query: "weather forecast tomorrow" });
    expect(answer).toMatchObject({
      needs_selection: true,
      options: [{ tool_id: expect.any(String) }, { tool_id: expect.any(String) }, { tool_id: expect.any(String) }],
      note: "No tool fits well; these are the closest.",
    });
    expect(answer).not.toHaveProperty("recommended");
  });

  it.each([
    ["github:delete_repo", "TOOL_DISABLED"],
    ["github:delete_repos", "TOOL_NOT_FOUND"],
  ])("answers the id %s of a disabled or unknown tool with %s, not with a neighbor", async (query, code) => {
    const { run } = await setUpPayments();
    await expect(run("gateway.intent", { query })).rejects.toMatchObject({ code });
  });

  it("returns the same answer every time", async () => {
    const { run } = await setUpPayments();
    const ask = async () => JSON.stringify(await run("gateway.intent", { query: "refund a customer in Ghana" }));
    expect(await ask()).toBe(await ask());
  });
});

describe("gateway.intent with an exported registry", () => {
  const withFile = async (content: string | undefined, use: (file: string) => Promise<void>): Promise<void> => {
    const folder = mkdtempSync(join(tmpdir(), "registry-"));
    const file = join(folder, "operations.json");
    if (content !== undefined) writeFileSync(file, content);
    try {
      await use(file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const exported = async (edit: (operations: Record<string, unknown>) => void = () => undefined): Promise<string> => {
    const { operations, snapshot } = await setUpPayments();
    const registry = toRegistry(listOperations(snapshot().servers.values(), operations), 0);
    const changed = { ...registry.operations } as Record<string, unknown>;
    edit(changed);
    return toRegistryText({ ...registry, operations: changed as never, operation_count: Object.keys(changed).length });
  };

  it.each<[string, () => Promise<string>]>([
    ["it equals the catalog", () => exported()],
    ["the catalog has more tools", () => exported((operations) => delete operations["github:create_issue"])],
  ])("works if %s", async (_, content) => {
    await withFile(await content(), async (registryFile) => {
      const { run, findings } = await setUpPayments({ registryFile });
      expect(await findings()).toEqual([]);
      expect(await run("gateway.intent", { query: CHARGE })).toHaveProperty("recommended");
    });
  });

  it.each<[string, () => Promise<string | undefined>, string]>([
    ["does not exist", () => Promise.resolve(undefined), "the file does not exist."],
    [
      "names a removed tool",
      () => exported((all) => void (all["paystack:gone"] = all[CHARGE])),
      "paystack:gone: its adapter has no such tool.",
    ],
    [
      "names a disabled tool",
      () => exported((all) => void (all["github:delete_repo"] = all[CHARGE])),
      "github:delete_repo: a rule disables it.",
    ],
    [
      "names an unknown adapter",
      () => exported((all) => void (all["none:x"] = all[CHARGE])),
      "none:x: no adapter or server with that name is configured.",
    ],
    [
      "states another risk level",
      () => exported((all) => void (all[CHARGE] = { ...(all[CHARGE] as object), risk_level: "low" })),
      `${CHARGE}: differs from the live catalog: risk_level.`,
    ],
    ["is not JSON", () => Promise.resolve("{"), "the file is not valid JSON."],
  ])("is disabled with a reason if the file %s; the other tools work", async (_, content, reason) => {
    await withFile(await content(), async (registryFile) => {
      const { run, findings } = await setUpPayments({ registryFile });
      expect(await findings()).not.toEqual([]);
      await expect(run("gateway.intent", { query: CHARGE })).rejects.toMatchObject({
        code: "CONFIGURATION_ERROR",
        message: `gateway.intent is disabled because of the exported registry file: ${reason}`,
        hint: expect.stringContaining("anygpt mcp registry export"),
        facts: { failed_operations: [reason], next_step: expect.stringContaining("gateway.tools") },
      });
      expect(await run("gateway.tools", { adapter: "paystack" })).toMatchObject({ total_tools: 4 });
    });
  });

  it("reports no differences for a server whose tools are not known", async () => {
    const content = await exported();
    await withFile(content, async (registryFile) => {
      const down = new DiscoveryError("SERVER_CONNECTION_ERROR", "Down.");
      const servers = PAYMENT_SERVERS.map(([one, tools]) => [one, one.name === "github" ? down : tools] as const);
      const { findings } = await setUpPayments({ registryFile, servers: servers as never });
      expect(await findings()).toEqual([]);
    });
  });
});

describe("toConfidences", () => {
  const chances = (...pairs: [relevance: number, factor: number][]) =>
    toConfidences(pairs.map(([relevance, factor]) => ({ relevance, factor })));

  it.each<[string, [number, number][], number[]]>([
    [
      "does not change relevances without context",
      [
        [0.6, 1],
        [0.2, 1],
      ],
      [0.6, 0.2],
    ],
    [
      "does not change relevances with a sum over 1 without context",
      [
        [0.9, 1],
        [0.8, 1],
      ],
      [0.9, 0.8],
    ],
    [
      "distributes what one loses to the others",
      [
        [0.5, 1],
        [0.5, 0.1],
      ],
      [0.91, 0.09],
    ],
    ["raises a low relevance only a little", [[0.1, 2]], [0.18]],
    [
      "raises no relevance if their sum is over 1",
      [
        [0.7, 2],
        [0.6, 1],
        [0.5, 0.1],
      ],
      [0.7, 0.6, 0.05],
    ],
    [
      "stays below 1",
      [
        [0.99, 2],
        [0.9, 2],
      ],
      [0.99, 0.9],
    ],
  ])("%s", (_, given, expected) => {
    expect(chances(...given)).toEqual(expected);
  });
});

describe("countries and currencies", () => {
  it.each([
    ["NG", "Nigeria", true],
    ["ng", "NG", true],
    ["Ivory Coast", "GH", false],
    ["Narnia", "narnia", true],
  ])("compares %s and %s as countries: %s", (requested, listed, same) => {
    expect(isSameCountry(requested, listed)).toBe(same);
  });

  it.each([
    ["pay in South Africa", ["ZA"], { code: "ZA", rest: "pay in" }],
    ["send it in there", ["IN"], undefined],
    ["a Nigerian bank", ["NG"], undefined],
    ["the branch in Lagos", ["GH", "NG"], { code: "NG", rest: "the branch in" }],
    ["to Guinea-Bissau now", ["GN", "GW"], { code: "GW", rest: "to   now" }],
    ["(a+)+$ .*", ["(a+)+$"], undefined],
  ])("finds in %j a country of %j", (text, listed, found) => {
    expect(findCountry(text, listed)).toEqual(found);
  });

  it("finds a currency by its upper-case code, or by a word of its name that no other listed currency has", () => {
    expect(findCurrency("100 NGN now", ["NGN"])).toEqual({ code: "NGN", rest: "100   now" });
    expect(findCurrency("try all of it", ["ALL", "TRY"])).toBeUndefined();
    expect(findCurrency("pay 100 naira", ["GHS", "NGN"])).toEqual({ code: "NGN", rest: "pay 100" });
    expect(findCurrency("a Nigerian bank", ["GHS", "NGN"])).toMatchObject({ code: "NGN" });
    expect(findCurrency("pay 100 dollars", ["AUD", "USD"])).toBeUndefined();
    expect(findCurrency("pay 100 dollar", ["AUD", "USD"])).toBeUndefined();
  });
});
