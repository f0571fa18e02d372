// Executes one call: resolve, permit, claim, send, record, fit. The tool's result is returned unchanged, except that
// large results are shortened. Finding tools and reaching servers is injected.
import { DiscoveryError } from "../errors.js";
import { READ_RESULT } from "../model/built-in.js";
import type { Call, CallContext, CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { KEY_MEMBER, type Policy } from "../policy/policy.js";
import { isAtLeast } from "../policy/risk.js";
import type { RateBucket } from "../policy/ruling.js";
import type { RateRequest, RateWindows } from "../store/rate-windows.js";
import type { UpstreamCall } from "../upstreams/types.js";
import { failpoint } from "../util/failpoint.js";
import { Attempt, type AttemptParts, describeDefect } from "./attempt.js";
import type { SentCall } from "./call-observer.js";
import type { Coercion } from "./coerce-value.js";
import { toConfirmedMeta } from "./confirmed-meta.js";
import { toDryRun } from "./dry-run.js";
import type { Replay } from "./idempotency.js";
import { flagHiddenText } from "./flag-hidden-text.js";
import { checkResultChoices, fitResult, readStoredResult, type ResultLimit } from "./fit-result.js";
import type { ExecutionOptions } from "./options.js";
import { obtainPermit, type Permit, type PermitParts, refusal } from "./permit.js";
import { toRepeatedFact } from "./repeats.js";

export interface ExecutorParts extends PermitParts, Omit<AttemptParts, "giveBack"> {
  /** Finds the tool, even if it is disabled. Throws TOOL_NOT_FOUND or SERVER_NOT_FOUND with similar names. */
  readonly resolve: (call: Call, waitMs: number) => Promise<Tool>;
  /** Explains, for the error message, why the tool rules disable the tool. */
  readonly explain: (tool: Tool) => string;
  /** Returns the policy of the current configuration, which may have changed while the call waited. */
  readonly currentPolicy: () => Policy;
  /** Runs right before the call is sent; throws if the configuration or the tool changed while the call waited. */
  readonly guard: (tool: Tool) => void;
  readonly send: (tool: Tool, call: UpstreamCall) => Promise<CallResult>;
  readonly rates: RateWindows;
  /** A monotonic clock in milliseconds: changes of the system time do not affect it. */
  readonly steadyNow: () => number;
  readonly limit: ResultLimit;
  readonly options: ExecutionOptions;
  /**
   * The longest time in milliseconds that a call waits for its server to start. A call with its own timeout waits no
   * longer than that.
   */
  readonly startWaitMs: number;
}

/**
 * Executes one call. All calls go through this function: from meta-tools, HTTP routes, the command line and the
 * library.
 */
export type Execute = (call: Call) => Promise<CallResult>;

export function createExecute(parts: ExecutorParts): Execute {
  const attemptParts = { ...parts, giveBack: parts.rates.giveBack };
  return async (call) => {
    const attempt = new Attempt(call, attemptParts);
    let result: CallResult;
    try {
      result = await carryOut(call, attempt, parts);
    } catch (thrown) {
      throw await attempt.failed(thrown);
    }
    await attempt.answered(result);
    if (attempt.tool === undefined) return flagHiddenText(result);
    const fitted = fitResult(result, parts.limit, call, attempt.tool);
    return fitted instanceof Promise ? flagHiddenText(await fitted) : flagHiddenText(fitted);
  };
}

async function carryOut(call: Call, attempt: Attempt, parts: ExecutorParts): Promise<CallResult> {
  const { context } = call;
  checkResultChoices(call);
  const timeoutMs = call.timeoutMs ?? parts.options.timeoutMs;
  // Only a timeout of this call limits the wait for the start: `execution.timeoutMs` is about the server's response.
  const startWaitMs = call.startWaitMs ?? Math.min(call.timeoutMs ?? parts.startWaitMs, parts.startWaitMs);
  const tool = await parts.resolve(call, startWaitMs);
  attempt.resolved(tool, parts.policy.ruling(tool).risk.risk);
  if (!tool.enabled && tool.quarantine === undefined) throw disabled(tool, parts.explain(tool));
  const onArguments = (args: JsonObject, coercions: readonly Coercion[]): Promise<void> | undefined =>
    attempt.hash(args, coercions);
  const permit = await obtainPermit({ call, tool, onArguments }, parts);
  attempt.approvalId = permit.approved?.id;
  if (call.dryRun === true) {
    await assertWithinRateLimit(permit, attempt, parts);
    return toDryRun(permit);
  }
  const replay = permit.replay ?? (await claim(permit, attempt, parts));
  if (replay !== undefined) return toReplayed(replay, attempt);
  const preparing = parts.audit?.prepare();
  if (preparing !== undefined) await preparing;
  if (context.signal?.aborted) {
    throw new DiscoveryError("CANCELLED", `The call to ${tool.id} was cancelled before it was sent.`);
  }
  const { name, operation, definition, file } = tool;
  const outgoing: UpstreamCall = {
    context,
    tool: name,
    arguments: permit.arguments,
    inputSchema: operation === undefined ? definition.inputSchema : undefined,
    // The policy decides whether a request may be repeated, not the API document.
    operation: operation && { ...operation, idempotent: permit.ruling.key.isIdempotent },
    meta: toMeta(permit, context),
    isConfirmed: permit.approved !== undefined && permit.ruling.needsPerson === true,
    timeoutMs: call.timeoutMs ?? file?.timeoutMs ?? timeoutMs,
    startWaitMs,
    maxTotalMs: parts.options.maxTotalMs,
    report: context.onEvent && guarded(context.onEvent, parts.log),
    beforeSend: () => beforeSend(permit, attempt, parts),
  };
  const send = tool === READ_RESULT ? () => readResultOf(call, outgoing, parts.limit) : parts.send;
  const observed = attempt.observer?.sent(outgoing);
  const answering = observed === undefined ? send(tool, outgoing) : sendObserved(tool, observed, send);
  return withRepeated(await answering, attempt);
}

/** Reads from the store instead of sending a call to a server. */
async function readResultOf(call: Call, { arguments: args, beforeSend: check }: UpstreamCall, limit: ResultLimit) {
  await check?.();
  return await readStoredResult(args, limit, call);
}

async function sendObserved(tool: Tool, sent: SentCall, send: ExecutorParts["send"]): Promise<CallResult> {
  try {
    const result = await send(tool, sent.call);
    sent.answered(result);
    return result;
  } catch (error) {
    sent.failed(error);
    throw error;
  }
}

/**
 * Counts the call against its rate limit and reserves its idempotency key. Returns the stored result if an earlier call
 * used the key.
 */
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

/** Throws if the call would exceed its rate limit. A replayed result does not count against the limit. */
async function assertWithinRateLimit(
  { tool, ruling, replay }: Permit,
  attempt: Attempt,
  parts: ExecutorParts,
): Promise<void> {
  if (ruling.bucket === undefined || replay !== undefined) return;
  const peeked = await parts.rates.peek(toRateRequest(ruling.bucket, attempt, parts));
  if (peeked.kind === "refused") throw limited(tool, ruling.bucket.name, peeked.retryAfterMs);
}

function toRateRequest(bucket: RateBucket, { actor: { id } }: Attempt, { steadyNow }: ExecutorParts): RateRequest {
  const now = Math.floor(steadyNow());
  const actor = bucket.per === "actor" ? id : "";
  return { bucket: bucket.name, actor, limit: bucket.calls, windowMs: bucket.perMs, now };
}

/** Checks whether the call is still permitted, then writes the records that must be on disk before the call is sent. */
function beforeSend(permit: Permit, attempt: Attempt, parts: ExecutorParts): Promise<void> | undefined {
  parts.guard(permit.tool);
  assertStillPermitted(permit, attempt, parts);
  const { approved, ruling } = permit;
  const { risk, key } = ruling;
  const needsIntent = isAtLeast(risk.risk, "medium");
  if (approved === undefined && attempt.claim === undefined && !needsIntent) {
    attempt.isSent = true;
    return undefined;
  }
  return (async () => {
    if (approved !== undefined) {
      const isRedeemed = await parts.confirmations.redeem(approved.id, approved.subject, approved.from);
      if (!isRedeemed) throw alreadyUsed(permit.tool, approved.id);
    }
    if (needsIntent && !key.isIdempotent) warnOfRepeat(permit, attempt, parts.log);
    await attempt.dispatch(needsIntent);
    attempt.isSent = true;
  })();
}

/**
 * Logs a warning if the call is probably a duplicate: a caller that lost a response may have repeated the call with a
 * new idempotency key.
 */
function warnOfRepeat({ tool, ruling, arguments: args }: Permit, attempt: Attempt, log: ExecutorParts["log"]): void {
  const { [ruling.key.sendAs ?? ""]: _key, ...withoutKey } = args;
  const repeated = attempt.registerRisky({ toolId: tool.id, arguments: withoutKey });
  if (repeated === undefined) return;
  const ago = `${Math.round(repeated.ageMs / 1000)} s ago (request ${repeated.requestId})`;
  const message = `${tool.id} is called with the same arguments as ${ago}, but without the same idempotency key.`;
  log(message, { level: "warn", request_id: attempt.requestId });
}

/** The `_meta` member of a result that names an earlier call with the same arguments. Set only for risky calls. */
export const REPEATS_MEMBER = "anygpt/repeats";

function withRepeated(result: CallResult, { repeated }: Attempt): CallResult {
  return repeated === undefined ? result : withMeta(result, REPEATS_MEMBER, toRepeatedFact(repeated));
}

function withMeta(result: CallResult, name: string, value: JsonObject): CallResult {
  const meta = result["_meta"];
  return { ...result, _meta: { ...(isJsonObject(meta) ? meta : {}), [name]: value } };
}

function assertStillPermitted({ tool, facts, pin, approved }: Permit, attempt: Attempt, parts: ExecutorParts): void {
  const current = parts.currentPolicy();
  if (current === parts.policy) return;
  const approval = approved === undefined ? undefined : { id: approved.id, state: approved.from };
  const decision = current.judge({ tool, pin: pin.kind, actor: attempt.actor, call: { ...facts, approval } });
  if (decision.kind !== "allow") throw refusal(decision, tool, pin);
}

/**
 * The `_meta` of the request to the server. It contains the idempotency key only if the server accepts it there. A key
 * that the server accepts as an argument is already in the arguments.
 */
function toMeta({ upstreamKey, ruling, approved }: Permit, context: CallContext): JsonObject | undefined {
  // The server of a confirmed call gets only what the user saw.
  const meta = approved === undefined ? context.meta : toConfirmedMeta(context.meta).sent;
  if (upstreamKey !== undefined && ruling.key.sendAs === "_meta") return { ...meta, [KEY_MEMBER]: upstreamKey };
  if (meta === undefined || !(KEY_MEMBER in meta)) return meta;
  const { [KEY_MEMBER]: _key, ...rest } = meta;
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/** The `_meta` member of a replayed result that names the call that ran. */
export const REPLAYED_MEMBER = "anygpt/replayed";

function toReplayed({ requestId, ending }: Replay, attempt: Attempt): CallResult {
  attempt.replayedFrom = requestId;
  if (ending.kind === "error") throw ending.error.about({ replayed: true, original_request_id: requestId });
  return withMeta(ending.result, REPLAYED_MEMBER, { request_id: requestId });
}

type Listener = NonNullable<CallContext["onEvent"]>;

/** Wraps an event listener: an exception in it is the caller's bug, so it is logged and the call continues. */
function guarded(onEvent: Listener, log: ExecutorParts["log"]): Listener {
  return (event) => {
    try {
      onEvent(event);
    } catch (error) {
      log(`An event listener of the caller threw an error: ${describeDefect(error)}`);
    }
  };
}

function disabled(tool: Tool, reason: string): DiscoveryError {
  return new DiscoveryError("TOOL_DISABLED", `${tool.id} is disabled: ${reason}.`, {
    hint: ["Use another tool, or enable this one.", { action: "edit-config", key: "toolRules", change: "correct" }],
  });
}

function limited(tool: Tool, bucket: string, retryAfterMs: number): DiscoveryError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new DiscoveryError("RATE_LIMITED", `The rate limit "${bucket}" for ${tool.id} is exceeded.`, {
    hint: { action: "retry", afterSeconds: seconds },
    facts: { bucket, retry_after_seconds: seconds },
  });
}

function alreadyUsed(tool: Tool, id: string): DiscoveryError {
  return new DiscoveryError("CONFIRMATION_REQUIRED", `The approval ${id} of ${tool.id} was used for another call.`, {
    hint: "Repeat the call to request a new confirmation.",
  });
}
