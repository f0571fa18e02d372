// Creates the executor for one configuration from its policy, persistence and connections.
import { randomBytes } from "node:crypto";
import type { Persistence } from "./persistence.js";
import type { CatalogFinder } from "../catalog/find.js";
import { assertNotQuarantined } from "../catalog/quarantine.js";
import { describeOutgoing, toJudgedTool } from "../built-in/outgoing.js";
import { isBuiltIn, type Snapshot } from "../catalog/snapshot.js";
import type { Config } from "../config/options.js";
import { type Confirmations, createConfirmations } from "../executor/confirmations.js";
import { createExecute, type Execute } from "../executor/execute.js";
import { createResultBudget, type ResultLimit } from "../executor/fit-result.js";
import { createIdempotency, type Idempotency } from "../executor/idempotency.js";
import { createRequestGate, type RequestGate } from "../executor/request-gate.js";
import type { StoredResults } from "../executor/stored-results.js";
import type { Repeats } from "../executor/repeats.js";
import type { Validation } from "../executor/validation.js";
import type { PinState } from "../executor/permit.js";
import { BUILT_IN_SERVER, READ_RESULT } from "../model/built-in.js";
import type { Call, CallResult } from "../model/call.js";
import { type Tool, toolId } from "../model/tool.js";
import type { ToolUsage } from "../metatools/tool-usage.js";
import { sendWithFreshList } from "./fresh-lists.js";
import type { Observers } from "./observing/observers.js";
import type { RuntimeEnvironment } from "./runtime-environment.js";
import { createPolicy, type Policy } from "../policy/policy.js";
import { compileRuling } from "../policy/ruling.js";
import { type CompiledRules, compileRules } from "../rules/compile.js";
import { decideRules } from "../rules/decide.js";
import { explain } from "../rules/explain.js";
import { assertEnabled, assertUnchanged } from "../executor/call-guards.js";
import type { ResolveConnection } from "./connections/connection-resolver.js";
import type { Upstreams } from "../upstreams/types.js";
import { newRequestId } from "../util/request-id.js";

export interface Execution {
  readonly execute: Execute;
  /** Creates an `execute` function for a caller that can call only the tools that `finder` finds. */
  readonly executeAmong: (finder: Pick<CatalogFinder, "find" | "serverOf">) => Execute;
  readonly policy: Policy;
  readonly confirmations: Confirmations;
  readonly idempotency: Idempotency;
  /** Checks and records requests for prompts, resources and completions. */
  readonly requests: RequestGate;
}

export interface ExecutionParts {
  readonly config: Config;
  readonly runtime: RuntimeEnvironment;
  readonly upstreams: Upstreams;
  readonly validation: Validation;
  readonly storedResults: StoredResults;
  readonly repeats: Repeats;
  readonly toolUsage: ToolUsage;
  readonly persistence: Persistence;
  readonly rules: CompiledRules;
  readonly finder: Pick<CatalogFinder, "find" | "serverOf">;
  /** Requests the tool list of a server again. */
  readonly relist: (server: string) => Promise<void>;
  /** Reports calls to metrics, traces and the log. Undefined if all three are disabled. */
  readonly observers: Observers | undefined;
  /**
   * Returns the components that are current when a call is sent. After a reload they differ from those with which the
   * call began.
   */
  readonly current: () => CurrentStages;
}

/** The components of the current configuration against which a call is checked before it is sent. */
export interface CurrentStages {
  readonly rules: CompiledRules;
  readonly policy: Policy;
  readonly snapshot: () => Snapshot;
  readonly resolveConnection: ResolveConnection;
}

export async function openExecution(parts: ExecutionParts): Promise<Execution> {
  const {
    config,
    runtime,
    upstreams,
    validation,
    storedResults,
    persistence,
    rules,
    finder,
    observers,
    current,
    repeats,
    toolUsage,
    relist,
  } = parts;
  const { now, log } = runtime;
  const { store, audit, encryption, pendingWrites, note } = persistence;
  const policy = await compilePolicy(config);
  const ttlMs = config.policy.confirmation.ttlSeconds * 1000;
  const confirmations = createConfirmations({ approvals: store.approvals, encryption, ttlMs, now, randomBytes, note });
  const keyTtlMs = config.policy.idempotency.ttlSeconds * 1000;
  const { idempotency: quotas } = config.policy;
  const idempotency = createIdempotency({
    keys: store.keys,
    pendingWrites,
    encryption,
    ttlMs: keyTtlMs,
    quotas,
    now,
    note,
  });
  const guard = (tool: Tool): void => {
    if (tool === READ_RESULT) return;
    const { rules: currentRules, snapshot } = current();
    assertEnabled(tool, currentRules);
    assertUnchanged(tool, snapshot().tools.get(tool.id));
  };
  const limit: ResultLimit = {
    bytes: config.execution.resultLimit,
    tokensFor: createResultBudget(config.results),
    storedResults,
    canRead: () => !current().snapshot().tools.has(READ_RESULT.id),
  };
  const isBuiltInTool = ({ server }: Tool): boolean => {
    const found = server === BUILT_IN_SERVER ? current().snapshot().servers.get(server) : undefined;
    return found !== undefined && isBuiltIn(found);
  };
  const isListed = (server: string): boolean => current().snapshot().servers.get(server)?.record !== undefined;
  const executeAmong = (seen: Pick<CatalogFinder, "find" | "serverOf">): Execute => {
    const execute = createExecute({
      async resolve({ server: named, tool, arguments: args, context: { signal } }, waitMs) {
        const server = named === "" ? seen.serverOf(tool) : named;
        const found = await seen.find(server, tool, { waitMs, ...(signal && { signal }) });
        // A definition that differs from a signed tool file is always rejected, regardless of `policy.pinning`.
        if (found.quarantine?.reason === "signed") assertNotQuarantined(found);
        return isBuiltInTool(found) ? toJudgedTool(found, args, config.toolFiles.agents) : found;
      },
      guard,
      send: (tool, call) =>
        sendWithFreshList(
          tool,
          () => upstreams.call(current().resolveConnection(tool.server, call.context.actor.id), call),
          { finder: seen, relist },
        ),
      observe: observers?.call,
      explain: (tool) => explain(rules, decideRules(rules, tool)),
      policy,
      profile: config.profile,
      currentPolicy: () => current().policy,
      pinOf,
      noticeOf: describeOutgoing,
      validation,
      confirmations,
      idempotency,
      encryption,
      rates: store.rates,
      repeats,
      secrets: runtime.secrets,
      audit,
      limit,
      options: config.execution,
      startWaitMs: config.upstreams.startWaitMs,
      now,
      steadyNow: runtime.steadyNow,
      elapsed: runtime.elapsed,
      newId: newRequestId,
      log,
    });
    return async (given) => {
      const call = withServer(given, seen);
      if (call.server === READ_RESULT.server && limit.canRead()) return await execute(call);
      const result = await (isListed(call.server) ? execute(call) : executeFirst(execute, call, upstreams));
      if (result.isError !== true && call.dryRun !== true)
        toolUsage.record(call.context.actor, toolId(call.server, call.tool));
      return result;
    };
  };
  const requests = createRequestGate({
    policy,
    toolsOf: (server) => current().snapshot().servers.get(server)?.tools ?? [],
    rates: store.rates,
    audit,
    secrets: runtime.secrets,
    now,
    steadyNow: runtime.steadyNow,
    elapsed: runtime.elapsed,
    newId: newRequestId,
  });
  return { execute: executeAmong(finder), executeAmong, policy, confirmations, idempotency, requests };
}

/**
 * Sets the server of a call that names none. If there is not exactly one, the call is returned unchanged: it fails when
 * the tool is resolved, so that the audit log contains it.
 */
function withServer(call: Call, { serverOf }: Pick<CatalogFinder, "serverOf">): Call {
  if (call.server !== "") return call;
  try {
    return { ...call, server: serverOf(call.tool) };
  } catch {
    return call;
  }
}

/**
 * Executes a call to a server whose tools are not known yet. Announces the call first, so that the connection that is
 * opened for the tool list is also used for the call.
 */
async function executeFirst(execute: Execute, call: Call, { expectCall }: Upstreams): Promise<CallResult> {
  const release = expectCall(call.server);
  try {
    return await execute(call);
  } finally {
    release();
  }
}

function pinOf({ quarantine }: Tool): PinState {
  if (quarantine === undefined) return { kind: "same" };
  return { kind: quarantine.reason === "new" ? "new" : "changed", differences: quarantine.differs };
}

/** Compiles the policy. It selects tools with the same patterns as `toolRules`. */
async function compilePolicy(config: Config): Promise<Policy> {
  const rule = await compileRuling(config.policy, async (selectors) => {
    const compiled = await compileRules(selectors);
    return (tool) => decideRules(compiled, tool).applied;
  });
  return createPolicy(config.policy, rule);
}
