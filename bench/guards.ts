// Measures the checks of a call, each alone and all together, with a server that answers immediately.
import { randomBytes, randomUUID } from "node:crypto";
import { auditOptions } from "../src/audit/options.js";
import { openPersistence } from "../src/gateway/persistence.js";
import { toArguments } from "../src/executor/arguments.js";
import { createRepeats } from "../src/executor/repeats.js";
import { createConfirmations } from "../src/executor/confirmations.js";
import { createExecute } from "../src/executor/execute.js";
import { createResultBudget } from "../src/executor/fit-result.js";
import { createIdempotency } from "../src/executor/idempotency.js";
import { createStoredResults } from "../src/executor/stored-results.js";
import { executionOptions, resultOptions } from "../src/executor/options.js";
import { createValidation } from "../src/executor/validation.js";
import { localActor } from "../src/model/actor.js";
import type { Call, CallResult } from "../src/model/call.js";
import type { Tool, ToolDefinition } from "../src/model/tool.js";
import { toRuntimeEnvironment } from "../src/gateway/runtime-environment.js";
import { policyOptions } from "../src/policy/options.js";
import { createPolicy } from "../src/policy/policy.js";
import { compileRuling } from "../src/policy/ruling.js";
import { compileRules } from "../src/rules/compile.js";
import { decideRules } from "../src/rules/decide.js";
import { createSecrets } from "../src/util/secrets.js";

const SCHEMA = {
  type: "object",
  properties: {
    owner: { type: "string" },
    repo: { type: "string", pattern: "^[a-z-]+$" },
    labels: { type: "array", items: { type: "string" } },
    count: { type: "integer", minimum: 1 },
  },
  required: ["owner", "repo"],
};
const ARGUMENTS = { owner: "octo", repo: "hello-world", labels: ["bug", "help wanted"], count: 3 };
const ANSWER: CallResult = { content: [{ type: "text", text: "done" }] };

/** `plain` schemas are validated in the main thread, others in a worker thread. */
const SCHEMAS = { plain: { ...SCHEMA, properties: { ...SCHEMA.properties, repo: { type: "string" } } }, other: SCHEMA };

function toTool(isHarmless: boolean, inputSchema: ToolDefinition["inputSchema"] = SCHEMAS.plain): Tool {
  const annotations = isHarmless ? { readOnlyHint: true } : {};
  const definition = { name: "tool", inputSchema, annotations };
  return { id: "bench:tool", server: "bench", name: "tool", definition, hash: randomUUID(), enabled: true, tags: [] };
}

export interface Guards {
  /** One run of each check, by name. */
  readonly steps: Readonly<Record<string, () => unknown>>;
  close(): Promise<void>;
}

export async function openGuards(folder: string): Promise<Guards> {
  const options = policyOptions.parse({
    risk: [{ tools: "never-*", risk: "low" }],
    buckets: { many: { calls: 1_000_000, perSeconds: 60 } },
    rateLimits: [{ tools: "limited", rate_limit_bucket: "many" }],
  });
  const rule = await compileRuling(options, async (selectors) => {
    const compiled = await compileRules(selectors);
    return (tool) => decideRules(compiled, tool).applied;
  });
  const policy = createPolicy(options, rule);
  const runtime = toRuntimeEnvironment({ stateFolder: folder, env: {} });
  const open = openPersistence(`${folder}/store.db`, runtime);
  const validation = createValidation();

  const executor = (tool: Tool, isRecorded: boolean) => {
    const { store, audit, encryption, pendingWrites, note } = open.with(auditOptions.parse({ enabled: isRecorded }));
    const shared = { encryption, now: runtime.now, note };
    return createExecute({
      resolve: () => Promise.resolve(tool),
      explain: () => "",
      policy,
      currentPolicy: () => policy,
      pinOf: () => ({ kind: "same" }),
      validation,
      confirmations: createConfirmations({ ...shared, approvals: store.approvals, ttlMs: 300_000, randomBytes }),
      idempotency: createIdempotency({
        ...shared,
        keys: store.keys,
        pendingWrites,
        ttlMs: 86_400_000,
        quotas: policy.options.idempotency,
      }),
      encryption,
      rates: store.rates,
      repeats: createRepeats(() => performance.now()),
      secrets: createSecrets(),
      audit,
      guard: () => undefined,
      send: async (_tool, call) => {
        await call.beforeSend?.();
        return ANSWER;
      },
      limit: {
        bytes: 262_144,
        tokensFor: createResultBudget(resultOptions.parse({})),
        canRead: () => true,
        storedResults: createStoredResults({
          records: () => store.results,
          encryption,
          options: () => resultOptions.parse({}),
          now: runtime.now,
          log: () => undefined,
        }),
      },
      options: executionOptions.parse({}),
      startWaitMs: 10_000,
      now: runtime.now,
      steadyNow: runtime.steadyNow,
      elapsed: runtime.elapsed,
      newId: randomUUID,
      log: () => undefined,
    });
  };
  const call = (more: Partial<Call> = {}): Call => ({
    context: { actor: localActor("mcp") },
    server: "bench",
    tool: "tool",
    arguments: ARGUMENTS,
    ...more,
  });
  const harmless = toTool(true);
  const risky = toTool(false);
  const patterned = toTool(true, SCHEMAS.other);
  const facts = { surface: "mcp", hasKey: false, confirmed: false, canAsk: false, dryRun: false } as const;
  const { audit } = open.with(auditOptions.parse({}));
  const unrecorded = executor(harmless, false);
  const recorded = { harmless: executor(harmless, true), risky: executor(risky, true) };
  return {
    steps: {
      "arguments, strictly": () => toArguments(call(), harmless),
      "validation, plain schema": () => validation.check(harmless, ARGUMENTS),
      "validation, in its thread": () => validation.check(patterned, ARGUMENTS),
      policy: () => policy.judge({ tool: risky, pin: "same", actor: localActor("mcp"), call: facts }),
      "hash of the arguments": () => audit?.hash(ARGUMENTS),
      "low risk, nothing recorded": () => unrecorded(call()),
      "low risk, recorded": () => recorded.harmless(call()),
      "high risk: intent and outcome": () => recorded.risky(call()),
      "high risk with a new key": () => recorded.risky(call({ idempotencyKey: randomUUID() })),
      "high risk, replayed": () => recorded.risky(call({ idempotencyKey: "same" })),
      "dry run": () => recorded.risky(call({ dryRun: true })),
    },
    async close() {
      await validation.close();
      await open.close();
    },
  };
}
