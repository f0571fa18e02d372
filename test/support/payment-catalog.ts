import { createCatalog } from "../../src/catalog/catalog.js";
import { createCatalogLookup } from "../../src/catalog/lookup.js";
import { createRefresh } from "../../src/catalog/refresh.js";
import { DiscoveryError } from "../../src/errors.js";
import { createDiscovery, type DiscoveryParts } from "../../src/metatools/discovery.js";
import { createGatewayProfile } from "../../src/metatools/gateway/profile.js";
import { gatewayOptions } from "../../src/metatools/options.js";
import { localActor } from "../../src/model/actor.js";
import type { Call, CallContext, CallResult } from "../../src/model/call.js";
import { isJsonObject, type JsonObject } from "../../src/model/json.js";
import type { RestOperation } from "../../src/model/operation.js";
import type { RestConnection, ServerDefinition } from "../../src/model/server.js";
import type { ToolDefinition } from "../../src/model/tool.js";
import { searchOptions } from "../../src/search/options.js";
import { toPolicy } from "./executor.js";

const string = (description?: string) => ({ type: "string", ...(description === undefined ? {} : { description }) });
const rest = (method: string, path: string, more: Partial<RestOperation> = {}): RestOperation => ({
  method,
  path,
  parameters: [],
  ...more,
});

const PAYSTACK_TOOLS: ToolDefinition[] = [
  {
    name: "initialize-transaction",
    title: "Initialize Transaction",
    description: "Start a new payment transaction.",
    inputSchema: {
      type: "object",
      properties: {
        amount: { type: "integer", description: "Amount in kobo", minimum: 1 },
        email: { type: "string", format: "email" },
        currency: { type: "string", enum: ["NGN", "GHS"] },
      },
      required: ["amount", "email"],
    },
    operation: rest("POST", "/transaction/initialize", { category: "transactions" }),
  },
  {
    name: "charge-authorization",
    description: "Charge a previously authorized card.",
    inputSchema: {
      type: "object",
      properties: {
        amount: { type: "integer", description: "Amount in kobo" },
        email: { type: "string", format: "email" },
        authorization_code: string("The authorization code of an earlier charge"),
        reference: string(),
      },
      required: ["amount", "email", "authorization_code"],
    },
    operation: rest("POST", "/transaction/charge_authorization", {
      category: "transactions",
      risk: "high",
      idempotencyHeader: "Idempotency-Key",
      reversible: false,
      errors: { "400": "The authorization is invalid.", "401": "The key is invalid." },
      example: { amount: 500000, email: "customer@example.com", authorization_code: "AUTH_1" },
      documentation: "https://paystack.example/docs/charge",
    }),
  },
  {
    name: "create-refund",
    description: "Refund a transaction to the customer.",
    inputSchema: { type: "object", properties: { transaction: string("Its reference") }, required: ["transaction"] },
    operation: rest("POST", "/refund", { category: "refunds", risk: "destructive" }),
  },
  {
    name: "list-transactions",
    description: "List transactions.",
    inputSchema: { type: "object", properties: { page: { type: "integer" } } },
    operation: rest("GET", "/transaction", { category: "transactions" }),
  },
];

const STRIPE_TOOLS: ToolDefinition[] = [
  {
    name: "charge-card",
    description: "Charge a card.",
    inputSchema: { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] },
    operation: rest("POST", "/v1/charges", { category: "charges", risk: "high" }),
  },
  {
    name: "create-refund",
    description: "Refund a charge.",
    inputSchema: { type: "object", properties: { charge: string() }, required: ["charge"] },
    operation: rest("POST", "/v1/refunds", { category: "refunds" }),
  },
];

const GITHUB_TOOLS: ToolDefinition[] = [
  {
    name: "create_issue",
    description: "Create an issue in a repository.",
    inputSchema: {
      type: "object",
      properties: { repo: string("owner/repo"), title: string() },
      required: ["repo", "title"],
    },
  },
  {
    name: "search_code",
    description: "Search code in repositories.",
    inputSchema: { type: "object", properties: { query: string() } },
    annotations: { readOnlyHint: true },
  },
  { name: "delete_repo", description: "Delete a repository.", inputSchema: { type: "object" } },
];

const api = (name: string, more: Partial<RestConnection> = {}): RestConnection => ({
  kind: "rest",
  document: `/documents/${name}.yaml`,
  headers: {},
  uploads: [],
  operations: [],
  ...more,
});

/** Two payment APIs and an MCP server for a configuration. */
export const PAYMENT_SERVERS: readonly [ServerDefinition, ToolDefinition[]][] = [
  [
    {
      name: "paystack",
      description: "Payment processing for African markets",
      connection: api("paystack", { auth: { kind: "bearer", token: "${PAYSTACK_SECRET_KEY}" } }),
      facts: {
        title: "Paystack",
        category: "payments",
        capabilities: ["card_payments", "subscriptions", "refunds"],
        countries: ["NG", "GH"],
        currencies: ["NGN", "GHS"],
        documentation: "https://paystack.example/docs",
      },
      manifest: [],
      origin: "inline",
    },
    PAYSTACK_TOOLS,
  ],
  [
    {
      name: "stripe",
      description: "Online payments",
      connection: api("stripe"),
      facts: { category: "payments", capabilities: ["card_payments"], countries: ["US", "GB"], currencies: ["USD"] },
      manifest: [],
      origin: "inline",
    },
    STRIPE_TOOLS,
  ],
  [
    {
      name: "github",
      description: "Repositories and issues",
      connection: { kind: "stdio", command: "github", args: [], env: { TOKEN: "${GH_TOKEN}" } },
      manifest: [],
      origin: "inline",
    },
    GITHUB_TOOLS,
  ],
];

export interface PaymentSetup {
  readonly servers?: readonly [ServerDefinition, ToolDefinition[] | DiscoveryError][];
  readonly policy?: object;
  readonly gateway?: object;
  readonly registryFile?: string;
  readonly answer?: (call: Call) => Promise<CallResult>;
  /** If omitted, search uses words only. */
  readonly meaning?: DiscoveryParts["meaning"];
}

const POLICY = {
  buckets: { payments_high_risk: { calls: 100, perSeconds: 60 } },
  rateLimits: [{ tools: "charge-*", rate_limit_bucket: "payments_high_risk" }],
};

/** The gateway's five tools with a fixed catalog; the executor is a fake and starts nothing. */
export async function setUpPayments(setup: PaymentSetup = {}) {
  const { servers = PAYMENT_SERVERS } = setup;
  const decide = ({ name }: { name: string }) => ({ enabled: name !== "delete_repo", tags: [] });
  const never = () => Promise.reject(new DiscoveryError("SERVER_CONNECTION_ERROR", "This test sends no request."));
  const quiet = { now: () => Date.UTC(2026, 0, 29, 10, 30), elapsed: () => 0, log: () => undefined };
  const catalog = createCatalog({ definitions: servers.map(([one]) => one), decide, disk: undefined, ...quiet });
  for (const [{ name }, known] of servers) {
    if (known instanceof DiscoveryError) await catalog.fail(name, known, 1);
    else await catalog.learn(name, { tools: known, dropped: [], truncated: false, era: "legacy" });
  }
  const refresh = createRefresh({
    catalog,
    list: never,
    isProcessActive: () => undefined,
    isInstalling: () => false,
    ttlMs: 3_600_000,
    ...quiet,
  });
  const lookup = createCatalogLookup({ catalog, refresh, isCacheEnabled: true, ttlMs: 3_600_000, now: quiet.now });
  const { snapshot } = catalog;
  const { meaning } = setup;
  const options = searchOptions.parse({});
  const discovery = createDiscovery({ snapshot, lookup, refresh, options, ...(meaning && { meaning }) });
  const policy = await toPolicy(setup.policy ?? POLICY);
  const calls: Call[] = [];
  let elapsed = 0;
  const profile = createGatewayProfile({
    discovery,
    snapshot,
    policy,
    execute: async (call) => {
      calls.push(call);
      elapsed += 342;
      return await (setup.answer?.(call) ?? Promise.resolve({ content: [{ type: "text", text: '{"ok":true}' }] }));
    },
    upstreamState: () => ({ kind: "closed" }),
    options: gatewayOptions.parse(setup.gateway ?? {}),
    registryFile: setup.registryFile,
    now: quiet.now,
    elapsed: () => elapsed,
    newId: () => "req_1",
  });
  const answer = async (name: string, args: unknown, more: Partial<CallContext> = {}): Promise<CallResult> => {
    const context = { actor: localActor("mcp"), ...more };
    const got = await profile.metaTools.find((one) => one.name === name)!.run(args, context);
    return got.kind === "result" ? got.result : { content: [{ type: "text", text: JSON.stringify(got.data) }] };
  };
  const run = async (name: string, args: unknown, more: Partial<CallContext> = {}): Promise<JsonObject> => {
    const { content } = await answer(name, args, more);
    const data: unknown = JSON.parse(String(content[0]?.["text"]));
    return isJsonObject(data) ? data : {};
  };
  return { ...profile, profile, catalog, snapshot, policy, calls, answer, run };
}
