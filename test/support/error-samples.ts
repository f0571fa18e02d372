import { toAuditUnavailable } from "../../src/audit/create-audit-log.js";
import { createCatalog } from "../../src/catalog/catalog.js";
import { createCatalogLookup } from "../../src/catalog/lookup.js";
import { assertNotQuarantined } from "../../src/catalog/quarantine.js";
import { createRefresh } from "../../src/catalog/refresh.js";
import { DiscoveryError } from "../../src/errors.js";
import { createEncryption } from "../../src/executor/encryption.js";
import { resultOptions } from "../../src/executor/options.js";
import { createStoredResults } from "../../src/executor/stored-results.js";
import { createDiscovery } from "../../src/metatools/discovery.js";
import { discoveryProfile } from "../../src/metatools/discovery-profile.js";
import { localActor } from "../../src/model/actor.js";
import type { CallResult } from "../../src/model/call.js";
import type { ServerDefinition, ServerListing } from "../../src/model/server.js";
import { searchOptions } from "../../src/search/options.js";
import { toSignatureRefusal } from "../../src/toolfiles/signing/refusal.js";
import { connectionClosed, toCallResult } from "../../src/upstreams/answers.js";
import { networkError, statusError, toMidCallError, unauthorized } from "../../src/upstreams/failures.js";
import { queueFull } from "../../src/upstreams/limiter.js";
import { requestCancelled } from "../../src/upstreams/open-request.js";
import { messageTooLarge } from "../../src/upstreams/oversize.js";
import { exitError } from "../../src/upstreams/process/exit.js";
import { gatewayClosing, startPaused, startTimedOut, stillStarting } from "../../src/upstreams/start-errors.js";
import { timedOut } from "../../src/util/net/network-error.js";
import { createSecrets } from "../../src/util/secrets.js";
import { closeExecutors, type ExecutorSetup, setUpExecutor, toTool } from "./executor.js";
import type { GivenCall } from "./calls.js";

export interface ErrorSample {
  readonly name: string;
  readonly error: DiscoveryError;
}

/** Realistic errors of every code, made by the code that makes them in the gateway, as the executor passes them on. */
export async function errorSamples(): Promise<ErrorSample[]> {
  const samples = [...upstreamSamples(), ...(await catalogSamples()), ...(await executorSamples())];
  const about = { server: "github", tool: "create_issue", request_id: "01a1ef9d-51ad-7781-a457-9ff63bfddfe8" };
  return samples.map(({ name, error }) => ({ name, error: error.about(about) }));
}

function thrownBy(work: () => unknown): DiscoveryError {
  try {
    work();
  } catch (error) {
    if (error instanceof DiscoveryError) return error;
  }
  throw new TypeError("The sample threw no DiscoveryError.");
}

async function rejectionOf(work: Promise<unknown>): Promise<DiscoveryError> {
  const [outcome] = await Promise.allSettled([work]);
  if (outcome?.status === "rejected" && outcome.reason instanceof DiscoveryError) return outcome.reason;
  throw new TypeError("The sample rejected with no DiscoveryError.");
}

const CRASH = [
  "/home/ann/project/server.mjs:3",
  "Error: Cannot find module '/home/ann/project/node_modules/zod/index.js'",
  "    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)",
];

function upstreamSamples(): ErrorSample[] {
  const exited = exitError(
    { kind: "exited", code: 1, signal: null },
    { server: "github", command: "npx", args: ["-y", "@acme/github"], stderr: CRASH },
  );
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" });
  const answered = (code: number, message: string): DiscoveryError =>
    thrownBy(() => toCallResult({ kind: "error", code, message, data: undefined }, "github", createSecrets()));
  const tampered = {
    what: "was changed since it was signed",
    hint: ["Review the changes.", { action: "run-command", command: "anygpt mcp sign shop.yaml" } as const],
  };
  return [
    { name: "process exited", error: exited },
    { name: "start paused", error: startPaused({ reason: exited, retryAt: 5000, open: false }, 0) },
    { name: "start timed out", error: startTimedOut("github", 30_000, [], false) },
    { name: "still installing", error: startTimedOut("github", 30_000, [], true) },
    { name: "still starting", error: stillStarting("github", { kind: "starting", since: 0 } as never, 10_000) },
    { name: "gateway closing", error: gatewayClosing("github") },
    { name: "connection closed", error: connectionClosed("github") },
    { name: "connection refused", error: networkError("github", refused) },
    { name: "process lost in a call", error: toMidCallError(exited) },
    { name: "queue full", error: queueFull("github", { waiting: 100, waitMs: 5000 }) },
    { name: "wrong credentials", error: unauthorized("github", 401) },
    { name: "HTTP 404", error: statusError("github", 404, undefined) },
    { name: "HTTP 429", error: statusError("github", 429, undefined) },
    { name: "HTTP 500", error: statusError("github", 500, undefined) },
    { name: "HTTP 503", error: statusError("github", 503, undefined) },
    { name: "JSON-RPC error", error: answered(-32_603, "Repository not found: acme/shop") },
    { name: "invalid params", error: answered(-32_602, "title is too long\n    at check (/home/ann/a.js:1:2)") },
    { name: "timeout", error: timedOut("github", 30_000, true) },
    { name: "timeout before sending", error: timedOut("github", 30_000, false) },
    { name: "answer too large", error: messageTooLarge("github", 120_000_000) },
    { name: "cancelled", error: requestCancelled("github", "unknown") },
    { name: "audit log unavailable", error: toAuditUnavailable(new Error("disk full")).with({ executed: "yes" }) },
    { name: "tampered tool file", error: toSignatureRefusal("shop.yaml", "tampered", tampered).error },
    {
      name: "variable not set",
      // Written as in `src/gateway/connections/connection-resolver.ts`, where the error depends on the environment.
      error: new DiscoveryError("CONFIGURATION_ERROR", "github needs GITHUB_TOKEN, which is not set.", {
        hint: { action: "set-variable", name: "GITHUB_TOKEN", files: [".env", "~/.ai/.env"] },
        facts: { variables: ["GITHUB_TOKEN"] },
        server: "github",
      }),
    },
  ];
}

const toDefinition = (name: string): ServerDefinition => ({
  name,
  connection: { kind: "stdio", command: name, args: [], env: {} },
  manifest: [],
  origin: "inline",
});

async function catalogSamples(): Promise<ErrorSample[]> {
  const quiet = { now: () => 1000, elapsed: () => 0, log: () => undefined };
  const definitions = ["github", "gitlab", "slow"].map(toDefinition);
  const catalog = createCatalog({
    definitions,
    decide: () => ({ enabled: true, tags: [] }),
    disk: undefined,
    ...quiet,
  });
  const names = ["create_issue", "close_issue", "list_issues", "search_code"];
  const listing: ServerListing = {
    tools: names.map((name) => ({ name, inputSchema: { type: "object" } })),
    dropped: [],
    truncated: false,
    era: "legacy",
  };
  await catalog.learn("github", listing);
  await catalog.learn("gitlab", { ...listing, tools: listing.tools.slice(0, 1) });
  const list = (): Promise<ServerListing> => new Promise(() => undefined);
  const activity = { isProcessActive: () => undefined, isInstalling: () => false };
  const refresh = createRefresh({ catalog, list, ...activity, ttlMs: 3_600_000, ...quiet });
  const lookup = createCatalogLookup({ catalog, refresh, isCacheEnabled: true, ttlMs: 3_600_000, now: quiet.now });
  const { snapshot } = catalog;
  const discovery = createDiscovery({
    snapshot,
    lookup,
    refresh,
    options: searchOptions.parse({ semantic: false }),
    disabled: ["jira"],
  });
  const execute = (): Promise<CallResult> => Promise.reject(new TypeError("Nothing is executed."));
  const metaTools = discoveryProfile({ discovery, upstreamState: () => ({ kind: "closed" }), execute });
  const run = (name: string, args: object): Promise<DiscoveryError> =>
    rejectionOf(metaTools.find((one) => one.name === name)!.run(args, { actor: localActor("mcp") }));
  const quarantined = toTool({ quarantine: { reason: "changed", differs: ["/description"] } });
  const samples = [
    { name: "tool mistyped", error: await rejectionOf(discovery.find("github", "create_isue")) },
    { name: "tool unknown", error: await rejectionOf(discovery.find("github", "wqx")) },
    { name: "tool of no server", error: thrownBy(() => discovery.serverOf("create_isue")) },
    { name: "tool of two servers", error: thrownBy(() => discovery.serverOf("create_issue")) },
    { name: "server mistyped", error: await rejectionOf(discovery.server("githb")) },
    { name: "server unknown", error: await rejectionOf(discovery.server("wqx")) },
    { name: "server disabled", error: await rejectionOf(discovery.server("jira")) },
    { name: "tools not known yet", error: await rejectionOf(discovery.server("slow", { waitMs: 1 })) },
    { name: "tool of a starting server", error: thrownBy(() => discovery.serverOf("post_message")) },
    { name: "tool quarantined", error: thrownBy(() => assertNotQuarantined(quarantined)) },
    { name: "meta-tool malformed", error: await run("search_tools", { q: "x" }) },
    { name: "meta-tool without a tool", error: await run("execute_tool", { server: "github" }) },
  ];
  refresh.stop();
  return samples;
}

/** Runs calls one after the other in one executor, and returns the error of the last one. */
async function failed(setup: ExecutorSetup, ...calls: readonly GivenCall[]): Promise<DiscoveryError> {
  const { call } = await setUpExecutor(setup);
  for (const given of calls.slice(0, -1)) await call(given).catch(() => undefined);
  return await rejectionOf(call(calls.at(-1)));
}

const KEYED = { idempotencyKey: "k-1" };

async function executorSamples(): Promise<ErrorSample[]> {
  const confirmed = (mode: string): ExecutorSetup => ({ policy: { confirmation: { mode, from: "medium" } } });
  const tools = { tools: ["*"] };
  const limited = {
    buckets: { writes: { calls: 1, perSeconds: 60 } },
    rateLimits: [{ ...tools, rate_limit_bucket: "writes" }],
  };
  const stuck = await setUpExecutor({ send: () => new Promise(() => undefined) });
  void stuck.call(KEYED);
  while (stuck.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const { store } = await setUpExecutor();
  const storedResults = createStoredResults({
    records: () => store.results,
    encryption: () => Promise.resolve(createEncryption(Buffer.alloc(32, 7))),
    options: () => resultOptions.parse({}),
    now: () => 0,
    log: () => undefined,
  });
  const defect: ExecutorSetup = { send: () => Promise.reject(new TypeError("undefined is not a function")) };
  const samples = [
    { name: "result unknown", error: await rejectionOf(storedResults.read("r_1", "local")) },
    { name: "key in progress", error: await rejectionOf(stuck.call(KEYED)) },
    { name: "wrong arguments", error: await failed({}, { arguments: { title: true } }) },
    { name: "arguments not an object", error: await failed({}, { arguments: "title=x" }) },
    { name: "ambiguous arguments", error: await failed({}, { arguments: '{"title":"x","title":"y"}' }) },
    { name: "tool disabled", error: await failed({ tool: toTool({ enabled: false }) }, {}) },
    { name: "caller unknown", error: await failed({}, { actor: { ...localActor("mcp"), id: "" } }) },
    {
      name: "scope missing",
      error: await failed(
        { policy: { scopes: [{ ...tools, required_scopes: ["repo:write"] }] } },
        { actor: { kind: "token", id: "token:ci", surface: "http", scopes: [] } as never },
      ),
    },
    {
      name: "key required",
      error: await failed({ policy: { idempotency: { requiredFrom: { elsewhere: "medium" } } } }, {}),
    },
    { name: "risk not declared", error: await failed({ policy: { preset: "strict" } }, {}) },
    { name: "confirmation by the caller", error: await failed(confirmed("auto"), {}) },
    { name: "confirmation by the user", error: await failed(confirmed("human"), {}) },
    { name: "call denied", error: await failed(confirmed("human"), { ask: () => Promise.resolve("declined") }) },
    { name: "key in conflict", error: await failed({}, KEYED, { ...KEYED, arguments: { title: "y" } }) },
    { name: "key outcome unknown", error: await failed(defect, KEYED, KEYED) },
    { name: "rate limited", error: await failed({ policy: limited }, {}, {}) },
    { name: "cancelled before sending", error: await failed({}, { signal: AbortSignal.abort() }) },
    { name: "defect", error: await failed(defect, {}) },
  ];
  storedResults.close();
  await closeExecutors();
  return samples;
}
