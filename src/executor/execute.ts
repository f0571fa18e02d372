// One call comes in; resolve, permit, claim, send, limit, record; the tool's answer goes out unchanged.
// It refuses to know how tools are found and how servers are reached.
import { DiscoveryError } from "../errors.js";
import type { Call, CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { KEY_MEMBER, type Policy } from "../policy/policy.js";
import { isAtLeast } from "../policy/risk.js";
import type { Bucket } from "../policy/ruling.js";
import type { RateRequest, RateWindows } from "../store/rate-windows.js";
import { failpoint } from "../util/failpoint.js";
import { Attempt, type AttemptParts, describeDefect } from "./attempt.js";
import { toDryRun } from "./dry-run.js";
import type { Replay } from "./idempotency.js";
import { limitResult, type ResultLimit } from "./limit-result.js";
import type { ExecutionOptions } from "./options.js";
import { obtainPermit, type Permit, type PermitParts, refusal } from "./permit.js";
import { toRepeatedFact } from "./repeats.js";

export interface ExecutorParts extends PermitParts, Omit<AttemptParts, "giveBack"> {
  /** Finds the tool, disabled ones too, or throws TOOL_NOT_FOUND or SERVER_NOT_FOUND with the nearest names. */
  readonly resolve: (call: Call, waitMs: number, signal?: AbortSignal) => Promise<Tool>;
  /** Why the rules disable the tool, for the error. */
  readonly explain: (tool: Tool) => string;
  /** The policy of the configuration in force, which may have changed while the call waited. */
  readonly policyInForce: () => Policy;
  readonly send: (tool: Tool, outgoing: OutgoingCall, signal?: AbortSignal) => Promise<CallResult>;
  readonly rates: RateWindows;
  /** A clock that no change of the time of day moves. */
  readonly steadyNow: () => number;
  readonly limit: ResultLimit;
  readonly options: ExecutionOptions;
  /** A call waits for a server that has to be started first within its own timeout, and at most so long. */
  readonly startWaitMs: number;
}

export interface OutgoingCall {
  readonly arguments: JsonObject;
  readonly meta?: JsonObject | undefined;
  readonly timeoutMs: number;
  readonly startWaitMs: number;
  readonly maxTotalMs: number;
  readonly onEvent?: NonNullable<Call["onEvent"]> | undefined;
  /** For whom it is made. */
  readonly actorId: string;
  readonly requestId: string;
  /** Of the trace that it is a part of, where it is traced: for servers that take no metadata. */
  readonly traceparent?: string | undefined;
  readonly peer?: NonNullable<Call["peer"]> | undefined;
  readonly logLevel?: string | undefined;
  /** To be called right before the first byte is sent; what it throws is the call's outcome. */
  readonly beforeSend: () => Promise<void> | undefined;
}

export type Execute = (call: Call, signal?: AbortSignal) => Promise<CallResult>;

export function createExecute(parts: ExecutorParts): Execute {
  const attemptParts = { ...parts, giveBack: parts.rates.giveBack };
  return async (call, signal) => {
    const attempt = new Attempt(call, attemptParts);
    let result: CallResult;
    try {
      result = await carryOut(call, attempt, parts, signal);
    } catch (thrown) {
      throw await attempt.failed(thrown);
    }
    await attempt.answered(result);
    return call.whole === true ? result : limitResult(result, parts.limit, call.actor.id);
  };
}

async function carryOut(call: Call, attempt: Attempt, parts: ExecutorParts, signal?: AbortSignal): Promise<CallResult> {
  const timeoutMs = call.timeoutMs ?? parts.options.timeoutMs;
  const startWaitMs = call.startWaitMs ?? Math.min(timeoutMs, parts.startWaitMs);
  const tool = await parts.resolve(call, startWaitMs, signal);
  attempt.resolved(tool.id, parts.policy.ruling(tool).risk.risk);
  if (!tool.enabled && tool.quarantine === undefined) throw disabled(tool, parts.explain(tool));
  const onArguments = (given: JsonObject): Promise<void> | undefined => attempt.hash(given);
  const permit = await obtainPermit({ call, tool, onArguments }, parts, signal);
  attempt.approvalId = permit.approved?.id;
  if (call.dryRun === true) {
    await assertRoom(permit, attempt, parts);
    return toDryRun(permit);
  }
  const replay = permit.replay ?? (await claim(permit, attempt, parts));
  if (replay !== undefined) return toReplayed(replay, attempt);
  const preparing = parts.audit?.prepare();
  if (preparing !== undefined) await preparing;
  if (signal?.aborted) {
    throw new DiscoveryError("CANCELLED", `The call of ${tool.id} was cancelled before it was sent.`);
  }
  const { onEvent, peer, logLevel, actor } = call;
  const outgoing: OutgoingCall = {
    arguments: permit.arguments,
    meta: toMeta(permit, call),
    timeoutMs: call.timeoutMs ?? tool.file?.timeoutMs ?? timeoutMs,
    startWaitMs,
    maxTotalMs: parts.options.maxTotalMs,
    actorId: actor.id,
    requestId: attempt.requestId,
    onEvent: onEvent && guarded(onEvent, parts.log),
    peer,
    logLevel,
    beforeSend: () => beforeSend(permit, attempt, parts),
  };
  return withRepeated(await parts.send(tool, outgoing, signal), attempt);
}

/** Takes from the bucket and reserves the key; somebody else may have been faster with it. */
async function claim(permit: Permit, attempt: Attempt, parts: ExecutorParts): Promise<Replay | undefined> {
  const { ruling, keyed, tool } = permit;
  if (ruling.bucket !== undefined) {
    const taken = await parts.rates.take(toRateRequest(ruling.bucket, attempt, parts));
    if (taken.kind === "refused") throw limited(tool, ruling.bucket.name, taken.retryAfterMs);
    attempt.ticket = taken.ticket;
  }
  if (keyed === undefined) return undefined;
  failpoint("call.before_reserve");
  const claimed = await parts.idempotency.reserve(keyed, attempt.requestId);
  if ("ending" in claimed) {
    if (attempt.ticket !== undefined) await parts.rates.giveBack(attempt.ticket);
    attempt.ticket = undefined;
    return claimed;
  }
  attempt.claim = claimed;
  failpoint("call.after_reserve");
  return undefined;
}

/** A replay uses up nothing. */
async function assertRoom({ tool, ruling, replay }: Permit, attempt: Attempt, parts: ExecutorParts): Promise<void> {
  if (ruling.bucket === undefined || replay !== undefined) return;
  const outlook = await parts.rates.peek(toRateRequest(ruling.bucket, attempt, parts));
  if (outlook.kind === "refused") throw limited(tool, ruling.bucket.name, outlook.retryAfterMs);
}

function toRateRequest(bucket: Bucket, { actor: { id } }: Attempt, { steadyNow }: ExecutorParts): RateRequest {
  const now = Math.floor(steadyNow());
  const actor = bucket.per === "actor" ? id : "";
  return { bucket: bucket.name, actor, limit: bucket.calls, windowMs: bucket.perMs, now };
}

/** Everything that has to be on disk before anything happens, and a last look at what may have changed meanwhile. */
function beforeSend(permit: Permit, attempt: Attempt, parts: ExecutorParts): Promise<void> | undefined {
  assertStillPermitted(permit, attempt, parts);
  const { approved, ruling } = permit;
  const { risk, key } = ruling;
  const isIntended = isAtLeast(risk.risk, "medium");
  if (approved === undefined && attempt.claim === undefined && !isIntended) {
    attempt.isSent = true;
    return undefined;
  }
  return (async () => {
    if (approved !== undefined) {
      const isMine = await parts.confirmations.redeem(approved.id, approved.subject, approved.from);
      if (!isMine) throw usedUp(permit.tool, approved.id);
    }
    if (isAtLeast(risk.risk, "high") && !key.isIdempotent) warnOfRepeat(permit, attempt, parts.log);
    await attempt.dispatch(isIntended);
    attempt.isSent = true;
  })();
}

/** Nobody knows whether it is meant: a caller that lost an answer may have made up a new key for the same intention. */
function warnOfRepeat({ tool, ruling, arguments: given }: Permit, attempt: Attempt, log: ExecutorParts["log"]): void {
  const { [ruling.key.sendAs ?? ""]: _key, ...said } = given;
  const repeated = attempt.noteRisky({ toolId: tool.id, arguments: said });
  if (repeated === undefined) return;
  const ago = `${Math.round(repeated.ageMs / 1000)} s ago (request ${repeated.requestId})`;
  const message = `${tool.id} is called with the same arguments as ${ago}, and not under the same key.`;
  log(message, { level: "warn", request_id: attempt.requestId });
}

/** Under this name the answer to a risky call tells of the one before it that was the same. */
export const REPEATS_MEMBER = "anygpt/repeats";

function withRepeated(result: CallResult, { repeated }: Attempt): CallResult {
  return repeated === undefined ? result : withMeta(result, REPEATS_MEMBER, toRepeatedFact(repeated));
}

function withMeta(result: CallResult, name: string, value: JsonObject): CallResult {
  const meta = result["_meta"];
  return { ...result, _meta: { ...(isJsonObject(meta) ? meta : {}), [name]: value } };
}

function assertStillPermitted({ tool, facts, pin, approved }: Permit, attempt: Attempt, parts: ExecutorParts): void {
  const inForce = parts.policyInForce();
  if (inForce === parts.policy) return;
  const approval = approved === undefined ? undefined : { id: approved.id, state: approved.from };
  const decision = inForce.judge({ tool, pin: pin.kind, actor: attempt.actor, call: { ...facts, approval } });
  if (decision.kind !== "allow") throw refusal(decision, tool, pin);
}

/** The key travels on where the server takes it as metadata; an argument for it is among the arguments by now. */
function toMeta({ keyed, ruling }: Permit, { meta }: Call): JsonObject | undefined {
  return keyed !== undefined && ruling.key.sendAs === "_meta" ? { ...meta, [KEY_MEMBER]: keyed.scope.key } : meta;
}

/** Under this name an answer tells that it is the one of an earlier call, and of which. */
export const REPLAYED_MEMBER = "anygpt/replayed";

function toReplayed({ requestId, ending }: Replay, attempt: Attempt): CallResult {
  attempt.replayedFrom = requestId;
  if (ending.kind === "error") throw ending.error.about({ replayed: true, original_request_id: requestId });
  return withMeta(ending.result, REPLAYED_MEMBER, { request_id: requestId });
}

/** A listener that throws is the caller's defect; the call goes on. */
function guarded(onEvent: NonNullable<Call["onEvent"]>, log: ExecutorParts["log"]): NonNullable<Call["onEvent"]> {
  return (event) => {
    try {
      onEvent(event);
    } catch (error) {
      log(`A listener failed: ${describeDefect(error)}`);
    }
  };
}

function disabled(tool: Tool, reason: string): DiscoveryError {
  return new DiscoveryError("TOOL_DISABLED", `${tool.id} is disabled: ${reason}.`, {
    hint: "Choose another tool, or ask the person who runs the gateway to change toolRules.",
  });
}

function limited(tool: Tool, bucket: string, retryAfterMs: number): DiscoveryError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new DiscoveryError("RATE_LIMITED", `The limit "${bucket}" for ${tool.id} is used up.`, {
    hint: `Call again in ${seconds} s.`,
    facts: { bucket, retry_after_seconds: seconds },
  });
}

function usedUp(tool: Tool, id: string): DiscoveryError {
  return new DiscoveryError("CONFIRMATION_REQUIRED", `The approval ${id} of ${tool.id} was used for another call.`, {
    hint: "Call again to have it confirmed anew.",
  });
}
