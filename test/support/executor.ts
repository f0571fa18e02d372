import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import type { AuditLog } from "../../src/audit/create-audit-log.js";
import type { AuditAct, AuditEntry } from "../../src/audit/entry.js";
import { compileCheck } from "../../src/executor/check-value.js";
import { type PendingWrites, createPendingWrites } from "../../src/executor/pending-writes.js";
import { createConfirmations } from "../../src/executor/confirmations.js";
import { createExecute, type ExecutorParts } from "../../src/executor/execute.js";
import { createIdempotency } from "../../src/executor/idempotency.js";
import { createStoredResults } from "../../src/executor/stored-results.js";
import { createRepeats } from "../../src/executor/repeats.js";
import { executionOptions, resultOptions } from "../../src/executor/options.js";
import { createEncryption } from "../../src/executor/encryption.js";
import type { CallResult } from "../../src/model/call.js";
import type { Tool, ToolDefinition } from "../../src/model/tool.js";
import { policyOptions } from "../../src/policy/options.js";
import { createPolicy, type Policy } from "../../src/policy/policy.js";
import { compileRuling } from "../../src/policy/ruling.js";
import { compileRules } from "../../src/rules/compile.js";
import { decideRules } from "../../src/rules/decide.js";
import { createStore } from "../../src/store/create-store.js";
import { createSecrets } from "../../src/util/secrets.js";
import type { Store } from "../../src/store/store.js";
import type { UpstreamCall } from "../../src/upstreams/types.js";
import { type GivenCall, toCall } from "./calls.js";

const DEFINITION: ToolDefinition = {
  name: "create_issue",
  inputSchema: {
    type: "object",
    properties: { title: { type: "string" }, body: { type: "string" } },
    required: ["title"],
  },
};

export function toTool(more: Partial<Tool> = {}, definition: Partial<ToolDefinition> = {}): Tool {
  const base = {
    id: "github:create_issue",
    server: "github",
    name: "create_issue",
    hash: "h",
    enabled: true,
    tags: [],
  };
  return { ...base, definition: { ...DEFINITION, ...definition }, ...more };
}

export const ANSWER: CallResult = { content: [{ type: "text", text: "done" }], _meta: { kept: true } };

export async function toPolicy(section: object): Promise<Policy> {
  const options = policyOptions.parse(section);
  const rule = await compileRuling(options, async (selectors) => {
    const compiled = await compileRules(selectors);
    return (tool) => decideRules(compiled, tool).applied;
  });
  return createPolicy(options, rule);
}

const opened: { store: Store; folder: string }[] = [];

/** Call this after each test. */
export async function closeExecutors(): Promise<void> {
  for (const { store, folder } of opened.splice(0)) {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface ExecutorSetup {
  readonly tool?: Tool;
  readonly policy?: object;
  readonly send?: (call: UpstreamCall) => Promise<CallResult>;
  readonly parts?: Partial<ExecutorParts>;
  /** Another executor whose store is shared. */
  readonly sharesStoreWith?: { readonly store: Store; readonly pendingWrites: PendingWrites };
}

/** An executor with a real store; only the server, the clock and the audit log are fakes. */
export async function setUpExecutor({
  tool = toTool(),
  policy = {},
  send,
  parts,
  sharesStoreWith,
}: ExecutorSetup = {}) {
  const folder = mkdtempSync(join(tmpdir(), "executor-"));
  const store = sharesStoreWith?.store ?? createStore({ file: join(folder, "store.db"), inline: true });
  opened.push({ store, folder });
  const sent: UpstreamCall[] = [];
  const records: AuditEntry[] = [];
  const logged: string[] = [];
  const clock = { now: Date.UTC(2026, 0, 1) };
  let ids = 0;
  let elapsed = 0;
  const audit = {
    record: (entry: AuditEntry) => Promise.resolve(void records.push(entry)),
    hash: (value: unknown) => Promise.resolve(`hash of ${JSON.stringify(value)}`),
    prepare: () => Promise.resolve(),
  } as unknown as AuditLog;
  const encryption = () => Promise.resolve(createEncryption(Buffer.alloc(32, 7)));
  const now = () => clock.now;
  const note = (act: AuditAct) => audit.record({ kind: "note", request_id: "note", timestamp: "", ...act });
  const compiled = await toPolicy(policy);
  const ttlMs = compiled.options.confirmation.ttlSeconds * 1000;
  const pendingWrites = sharesStoreWith?.pendingWrites ?? createPendingWrites();
  const confirmations = createConfirmations({ approvals: store.approvals, encryption, ttlMs, now, randomBytes, note });
  const quotas = compiled.options.idempotency;
  const keyParts = { keys: store.keys, pendingWrites, encryption, ttlMs: 86_400_000, quotas, now, note };
  const idempotency = createIdempotency(keyParts);
  const execute = createExecute({
    resolve: () => Promise.resolve(tool),
    explain: () => "rule 1 (*issue* → disabled)",
    policy: compiled,
    currentPolicy: () => compiled,
    guard: () => undefined,
    pinOf: () => ({ kind: "same" }),
    validation: {
      check: (one, value) => Promise.resolve(compileCheck(one.definition.inputSchema)(value)),
      close: () => Promise.resolve(),
    },
    confirmations,
    idempotency,
    encryption,
    rates: store.rates,
    repeats: createRepeats(now),
    secrets: createSecrets(),
    audit,
    send: async (_tool, call) => {
      await call.beforeSend?.();
      sent.push(call);
      return await (send?.(call) ?? Promise.resolve(ANSWER));
    },
    limit: {
      bytes: 1024,
      tokensFor: () => 0,
      canRead: () => true,
      storedResults: createStoredResults({
        records: () => store.results,
        encryption,
        options: () => resultOptions.parse({}),
        now,
        log: (message) => logged.push(message),
      }),
    },
    options: executionOptions.parse({}),
    startWaitMs: 10_000,
    now,
    steadyNow: now,
    elapsed: () => (elapsed += 5),
    newId: () => `id-${(ids += 1)}`,
    log: (message) => logged.push(message),
    ...parts,
  });
  const call = (given: GivenCall = {}): Promise<CallResult> =>
    execute(toCall({ server: "github", tool: "create_issue", arguments: { title: "x" }, ...given }));
  return { call, execute, sent, records, logged, store, pendingWrites, confirmations, idempotency, clock, audit };
}
