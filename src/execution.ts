// The policy and the books come in, guarded execution goes out: what one configuration makes of a call.
import { randomBytes } from "node:crypto";
import type { Books } from "./books.js";
import { assertShown } from "./catalog/quarantine.js";
import type { Snapshot } from "./catalog/snapshot.js";
import type { Config } from "./config/options.js";
import { type Confirmations, createConfirmations } from "./executor/confirmations.js";
import { createExecute, type Execute, type OutgoingCall } from "./executor/execute.js";
import { createIdempotency, type Idempotency } from "./executor/idempotency.js";
import type { KeptResults } from "./executor/kept-results.js";
import type { Repeats } from "./executor/repeats.js";
import type { Validation } from "./executor/validation.js";
import type { Discovery } from "./metatools/discovery.js";
import type { PinState } from "./executor/permit.js";
import type { Tool } from "./model/tool.js";
import type { Passed } from "./observing/observe-execute.js";
import type { Observers } from "./observing/observers.js";
import type { Place } from "./place.js";
import { createPolicy, type Policy } from "./policy/policy.js";
import { compileRuling } from "./policy/ruling.js";
import { type CompiledRules, compileRules } from "./rules/compile.js";
import { decide } from "./rules/decide.js";
import { explain } from "./rules/explain.js";
import { assertEnabled, assertUnchanged, type FindTarget } from "./targets.js";
import type { UpstreamCall, Upstreams } from "./upstreams/types.js";
import { newRequestId } from "./util/request-id.js";

export interface Execution {
  readonly execute: Execute;
  /** The same for a caller who sees other tools. */
  readonly executeAmong: (discovery: Pick<Discovery, "find">) => Execute;
  readonly policy: Policy;
  readonly confirmations: Confirmations;
  readonly idempotency: Idempotency;
}

export interface ExecutionParts {
  readonly config: Config;
  readonly place: Place;
  readonly upstreams: Upstreams;
  readonly validation: Validation;
  readonly kept: KeptResults;
  readonly repeats: Repeats;
  readonly books: Books;
  readonly rules: CompiledRules;
  readonly discovery: Discovery;
  /** Who watches the calls; undefined when nobody does. */
  readonly observers: Observers | undefined;
  /** What counts when something is sent, which may be another configuration's than that it began with. */
  readonly inForce: () => InForce;
}

export interface InForce {
  readonly rules: CompiledRules;
  readonly policy: Policy;
  readonly snapshot: () => Snapshot;
  readonly target: FindTarget;
}

export async function openExecution(parts: ExecutionParts): Promise<Execution> {
  const { config, place, upstreams, validation, kept, books, rules, discovery, observers, inForce, repeats } = parts;
  const { now, log } = place;
  const { store, audit, seals, arrears, note } = books;
  const policy = await compilePolicy(config);
  const ttlMs = config.policy.confirmation.ttlSeconds * 1000;
  const confirmations = createConfirmations({ approvals: store.approvals, seals, ttlMs, now, randomBytes, note });
  const keyTtlMs = config.policy.idempotency.ttlSeconds * 1000;
  const idempotency = createIdempotency({ keys: store.keys, arrears, seals, ttlMs: keyTtlMs, now, note });
  const executeWith = (passed: Passed): Execute =>
    createExecute({
      ...passed,
      explain: (tool) => explain(rules, decide(rules, tool)),
      policy,
      profile: config.profile,
      policyInForce: () => inForce().policy,
      pinOf,
      validation,
      confirmations,
      idempotency,
      seals,
      rates: store.rates,
      repeats,
      secrets: place.secrets,
      audit,
      limit: { bytes: config.execution.resultLimit, kept },
      options: config.execution,
      startWaitMs: config.upstreams.startWaitMs,
      now,
      steadyNow: place.steadyNow,
      elapsed: place.elapsed,
      newId: newRequestId,
      log,
    });
  const send: Passed["send"] = async (tool, call, signal) => {
    const beforeSend = (): Promise<void> | undefined => {
      const current = inForce();
      assertEnabled(tool, current.rules);
      assertUnchanged(tool, current.snapshot().tools.get(tool.id));
      return call.beforeSend();
    };
    const target = inForce().target(tool.server, call.actorId);
    return await upstreams.call(target, toUpstreamCall(tool, call, { policy, beforeSend }), signal);
  };
  const riskOf = (tool: Tool): string => policy.ruling(tool).risk.risk;
  const executeAmong = (seen: Pick<Discovery, "find">): Execute => {
    const resolve: Passed["resolve"] = async ({ server, tool }, waitMs, signal) => {
      const found = await seen.find(server, tool, { waitMs, ...(signal && { signal }) });
      // What a person has signed counts whatever the policy says of definitions that change.
      if (found.quarantine?.reason === "signed") assertShown(found);
      return found;
    };
    const among = { resolve, send, riskOf, newId: newRequestId };
    const execute = observers?.execute(among, executeWith) ?? executeWith({ resolve, send });
    return (call, signal) => (isListed(call.server) ? execute(call, signal) : executeFirst(execute, call, signal));
  };
  const isListed = (server: string): boolean => inForce().snapshot().servers.get(server)?.record !== undefined;
  /** A server that has to be asked for its tools first need not be started for that and for the call. */
  const executeFirst: ExecuteFirst = async (execute, call, signal) => {
    const arrived = upstreams.expectCall(call.server);
    try {
      return await execute(call, signal);
    } finally {
      arrived();
    }
  };
  return { execute: executeAmong(discovery), executeAmong, policy, confirmations, idempotency };
}

/** Whether a request may be repeated is the policy's word, not the document's. */
function toUpstreamCall(tool: Tool, call: OutgoingCall, { policy, beforeSend }: Sending): UpstreamCall {
  const { name, operation, definition } = tool;
  return {
    tool: name,
    arguments: call.arguments,
    inputSchema: operation === undefined ? definition.inputSchema : undefined,
    operation: operation && { ...operation, idempotent: policy.ruling(tool).key.isIdempotent },
    meta: call.meta,
    timeoutMs: call.timeoutMs,
    startWaitMs: call.startWaitMs,
    maxTotalMs: call.maxTotalMs,
    onEvent: call.onEvent,
    actorId: call.actorId,
    peer: call.peer,
    logLevel: call.logLevel,
    traceparent: call.traceparent,
    beforeSend,
  };
}

type ExecuteFirst = (execute: Execute, ...call: Parameters<Execute>) => ReturnType<Execute>;

interface Sending extends Pick<OutgoingCall, "beforeSend"> {
  readonly policy: Policy;
}

function pinOf({ quarantine }: Tool): PinState {
  if (quarantine === undefined) return { kind: "same" };
  return { kind: quarantine.reason === "new" ? "new" : "changed", differences: quarantine.differs };
}

/** The policy speaks of tools in the patterns of the rules. */
async function compilePolicy(config: Config): Promise<Policy> {
  const rule = await compileRuling(config.policy, async (selectors) => {
    const compiled = await compileRules(selectors);
    return (tool) => decide(compiled, tool).applied;
  });
  return createPolicy(config.policy, rule);
}
