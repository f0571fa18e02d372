// Decides whether a call may run. Checks in this order: policy, arguments, idempotency key, confirmation by the user.
import { DiscoveryError } from "../errors.js";
import { type Call, type Consent, isIdempotencyKey } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { type CallFacts, type PolicyDecision, mayConfirmItself } from "../policy/decide.js";
import type { Policy } from "../policy/policy.js";
import type { Ruling } from "../policy/ruling.js";
import type { ApprovalSubject } from "../store/approvals.js";
import { checkArguments, invalidArguments, toArguments, toLines } from "./arguments.js";
import type { ArgumentViolation } from "./check-value.js";
import type { Coercion } from "./coerce-value.js";
import type { Confirmations } from "./confirmations.js";
import { toConfirmedMeta } from "./confirmed-meta.js";
import type { Idempotency, KeyedCall, Replay } from "./idempotency.js";
import type { Encryption } from "./encryption.js";
import type { Validation } from "./validation.js";

export interface PermitParts {
  readonly policy: Policy;
  /** The profile of the configuration. The policy may have stricter requirements for the profile `gateway`. */
  readonly profile?: "discovery" | "gateway";
  /** Compares the tool's definition with the pinned one (first seen or approved). */
  readonly pinOf: (tool: Tool) => PinState;
  readonly validation: Validation;
  readonly confirmations: Confirmations;
  readonly idempotency: Idempotency;
  readonly encryption: () => Promise<Encryption>;
  readonly now: () => number;
  /** What the user has to know about a call that they confirm, as one sentence; undefined for most calls. */
  readonly noticeOf?: ((tool: Tool, args: JsonObject) => string | undefined) | undefined;
}

export interface PinState {
  readonly kind: "same" | "changed" | "new";
  readonly differences?: readonly string[];
}

/** A user's approval of one call. */
export interface Approved {
  readonly id: string;
  readonly subject: ApprovalSubject;
  readonly from: "pending" | "approved";
}

export interface Permit {
  /** The idempotency key as the server receives it. */
  readonly upstreamKey: string | undefined;
  readonly tool: Tool;
  readonly ruling: Ruling;
  readonly arguments: JsonObject;
  readonly facts: CallFacts;
  readonly pin: PinState;
  readonly keyed?: KeyedCall | undefined;
  /** The result of the first call with this idempotency key. If it is set, the tool does not run again. */
  readonly replay?: Replay;
  /** The user's approval, which must be redeemed right before the call is sent. Not set if none is needed. */
  readonly approved?: Approved;
  /** Set only in a dry run: the call would need a confirmation. */
  readonly wouldAsk?: true;
}

/** A call that needs a permit. */
export interface PermitRequest {
  readonly call: Call;
  readonly tool: Tool;
  /**
   * Called with the arguments that the call uses, and with the values in them that the gateway converted. It is called
   * before the idempotency key is looked up and the user is asked.
   */
  readonly onArguments: (args: JsonObject, coercions: readonly Coercion[]) => Promise<void> | undefined;
}

/** Returns the permit for a call. Throws a `DiscoveryError` if the call may not run. */
export async function obtainPermit({ call, tool, onArguments }: PermitRequest, parts: PermitParts): Promise<Permit> {
  const { policy, validation, idempotency } = parts;
  const ruling = policy.ruling(tool);
  const pin = parts.pinOf(tool);
  const facts = toFacts(call, parts);
  const judge = (more: CallFacts): PolicyDecision =>
    policy.judge({ tool, pin: pin.kind, actor: call.context.actor, call: more });
  const first = judge(facts);
  if (first.kind === "deny" || first.kind === "needsKey") throw refusal(first, tool, pin);

  const upstreamKey = await toUpstreamKey(call, { tool, ruling }, parts);
  const given = withKey(toArguments(call, tool), { call, tool, ruling, upstreamKey });
  // The idempotency key, the approval and the audit record refer to the converted arguments: `"3"` and `3` are the same
  // call if the tool takes a number.
  const { args, coercions, violations, failure } = await checkArguments(tool, given, validation);
  const hashing = onArguments(args, coercions);
  if (hashing !== undefined) await hashing;
  if (failure !== undefined) throw failure;
  const keyed = await toKeyed(call, { tool, args, ruling }, parts);
  const known = keyed === undefined ? undefined : await lookupResult(idempotency.findReplay(keyed));
  const base: Permit = { tool, ruling, arguments: args, facts, pin, keyed, upstreamKey };
  // A replayed result needs no confirmation, because the tool does not run.
  if (first.kind === "confirm" && known === undefined) {
    const judgeWith = (more: Partial<CallFacts>): PolicyDecision => judge({ ...facts, ...more });
    const confirmed = await confirm(call, { tool, args, ruling, pin, violations, judge: judgeWith }, parts);
    if (violations.length > 0) throw invalidArguments(tool, violations);
    return { ...base, ...confirmed };
  }
  if (violations.length > 0) throw invalidArguments(tool, violations);
  if (known?.kind === "refused") throw known.reason;
  return known === undefined ? base : { ...base, replay: known.replay };
}

function toFacts(call: Call, { profile }: PermitParts): CallFacts {
  return {
    profile: call.profile ?? profile,
    hasKey: call.idempotencyKey !== undefined,
    confirmed: call.confirmed === true,
    // On the command line, `--confirmed` confirms a pending request. Without a pending request, the terminal asks the
    // user.
    canAsk: call.context.ask !== undefined && !(isCommandLine(call) && call.confirmed === true),
    dryRun: call.dryRun === true,
  };
}

function isCommandLine({ context }: Call): boolean {
  return context.actor.surface === "cli";
}

/** Whether the call was typed at a terminal, so that the gateway can ask the user there. */
function isAttended(call: Call): boolean {
  const { ask, consent } = call.context;
  return isCommandLine(call) && (ask !== undefined || consent?.isAttended === true);
}

type KeyLookup =
  | { readonly kind: "replay"; readonly replay: Replay }
  | { readonly kind: "refused"; readonly reason: unknown };

/**
 * Looks up the idempotency key. Returns an error instead of throwing it, because errors in the arguments are reported
 * first.
 */
async function lookupResult(lookup: Promise<Replay | undefined>): Promise<KeyLookup | undefined> {
  try {
    const replay = await lookup;
    return replay && { kind: "replay", replay };
  } catch (reason) {
    return { kind: "refused", reason };
  }
}

/** The idempotency key as the server receives it; undefined if it receives none. */
async function toUpstreamKey(
  { idempotencyKey: key, context }: Call,
  { tool, ruling }: Omit<CheckedCall, "args">,
  { encryption }: PermitParts,
): Promise<string | undefined> {
  if (key === undefined || ruling.key.sendAs === undefined) return undefined;
  if (ruling.key.isSentUnchanged === true) return key;
  return (await encryption()).upstreamKey({ actor: context.actor.id, tool: tool.id, key });
}

interface CallWithKey extends Omit<CheckedCall, "args"> {
  readonly call: Call;
  readonly upstreamKey: string | undefined;
}

/**
 * If the tool accepts the idempotency key as an argument, adds the key to the arguments that are validated, shown and
 * sent.
 */
function withKey(args: JsonObject, { call, tool, ruling, upstreamKey }: CallWithKey): JsonObject {
  const { sendAs } = ruling.key;
  if (upstreamKey === undefined || sendAs === undefined || sendAs === "_meta") return args;
  if (!Object.hasOwn(args, sendAs) || args[sendAs] === call.idempotencyKey) return { ...args, [sendAs]: upstreamKey };
  throw new DiscoveryError(
    "INVALID_REQUEST",
    `The argument "${sendAs}" of ${tool.id} differs from the idempotency key of the call.`,
    {
      hint: `Omit the argument "${sendAs}": the gateway sets it.`,
    },
  );
}

interface CheckedCall {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly ruling: Ruling;
}

async function toKeyed(
  { idempotencyKey: key, context }: Call,
  { tool, args, ruling }: CheckedCall,
  { encryption }: PermitParts,
): Promise<KeyedCall | undefined> {
  if (key === undefined) return undefined;
  if (!isIdempotencyKey(key)) {
    throw new DiscoveryError("INVALID_REQUEST", "The idempotency key must have 1 to 255 visible ASCII characters.", {
      hint: "Pass a valid key, such as a UUID.",
    });
  }
  const fingerprint = (await encryption()).fingerprint({ arguments: args, definitionHash: tool.hash });
  return { scope: { actor: context.actor.id, tool: tool.id, key }, fingerprint, isIdempotent: ruling.key.isIdempotent };
}

interface CallToConfirm extends CheckedCall {
  readonly pin: PinState;
  readonly violations: readonly ArgumentViolation[];
  readonly judge: (more: Partial<CallFacts>) => PolicyDecision;
}

async function confirm(
  call: Call,
  checked: CallToConfirm,
  parts: PermitParts,
): Promise<{ approved?: Approved; wouldAsk?: true }> {
  const { tool, args, violations, judge } = checked;
  const { confirmations, policy } = parts;
  const { actor, ask, signal } = call.context;
  const { id: actorId } = actor;
  const { shown: meta } = toConfirmedMeta(call.context.meta);
  const bound = { actorId, toolId: tool.id, definitionHash: tool.hash, arguments: args, meta };
  const subject = { actor: actorId, tool: tool.id, binding: (await parts.encryption()).bind(bound) };
  const found = await confirmations.lookup(subject);
  // A user at a terminal can change their mind. Other callers get the same answer until the denial expires.
  const approval = found?.state === "denied" && isAttended(call) ? undefined : found;
  // If only a user may answer the pending request, ignore the caller's own confirmation.
  const decision = judge({ approval, ...(approval?.selfService === false ? { confirmed: false } : {}) });
  if (decision.kind === "allow" && approval !== undefined) {
    return { approved: { id: approval.id, subject, from: approval.state === "approved" ? "approved" : "pending" } };
  }
  if (decision.kind !== "confirm") throw refusal(decision, tool, checked.pin);
  // Ask the user only about calls with valid arguments.
  if (violations.length > 0) throw invalidBeforeConfirmation(decision, violations);
  if (Buffer.byteLength(JSON.stringify([args, meta])) > MAX_CONFIRMABLE_BYTES) throw tooLargeToConfirm(tool);
  if (call.dryRun === true) return { wouldAsk: true };
  const { risk, origin } = checked.ruling.risk;
  const notice = parts.noticeOf?.(tool, args);
  const shown = {
    risk,
    riskOrigin: origin.detail,
    arguments: args,
    ...(meta === undefined ? {} : { meta }),
    ...(notice === undefined ? {} : { notice }),
  };
  const callerMayConfirm = mayConfirmItself(checked.ruling, policy.options.confirmation.mode);
  // A command-line user whose dialog was interrupted can confirm later with `--confirmed`.
  const selfService = callerMayConfirm && (ask === undefined || isCommandLine(call));
  // A caller that repeats a call again and again with `confirmed: true` has not asked its user again.
  if (selfService && call.confirmed === true && approval === undefined && (await confirmations.hasRun(subject)))
    throw mustAskAgain(tool);
  // If `selfService` is false, `open` also changes a pending self-service request, so that only a user can answer it.
  const request = await confirmations.open(subject, shown, selfService);
  const consent = consentTo(call, callerMayConfirm);
  const isShownWhole = checked.ruling.needsPerson === true;
  const question = { id: request.id, toolId: tool.id, ...shown, isShownWhole, ttlMs: ttlMsOf(policy) };
  const answer = consent === undefined ? await ask?.(question, signal) : "accepted";
  const by = consent?.by ?? "client";
  if (answer === "accepted" && (await confirmations.answer(request.id, "approved", by)) !== undefined) {
    return { approved: { id: request.id, subject, from: "approved" } };
  }
  if (answer === "declined") {
    await confirmations.answer(request.id, "denied", "client");
    throw refusal(judge({ approval: { id: request.id, state: "denied" } }), tool, checked.pin);
  }
  throw unconfirmed(decision, { id: request.id, leftMs: request.expiresAt - parts.now() });
}

/**
 * The consent that counts for this call. Consent that was not typed at a terminal counts only if the policy lets
 * callers confirm their own calls.
 */
function consentTo(call: Call, callerMayConfirm: boolean): Consent | undefined {
  const { consent } = call.context;
  return isCommandLine(call) && (callerMayConfirm || consent?.isAttended === true) ? consent : undefined;
}

/**
 * The largest arguments of a call that needs confirmation: the request is stored, and the user must be able to read it.
 */
const MAX_CONFIRMABLE_BYTES = 65_536;

function tooLargeToConfirm(tool: Tool): DiscoveryError {
  return new DiscoveryError(
    "POLICY_DENIED",
    `The arguments of ${tool.id} exceed ${MAX_CONFIRMABLE_BYTES} bytes, the limit for calls that the user must confirm.`,
    {
      hint: "Pass smaller arguments, in several calls if necessary.",
      facts: { most_bytes: MAX_CONFIRMABLE_BYTES },
    },
  );
}

function ttlMsOf({ options }: Policy): number {
  return options.confirmation.ttlSeconds * 1000;
}

function mustAskAgain(tool: Tool): DiscoveryError {
  return new DiscoveryError(
    "CONFIRMATION_REQUIRED",
    `The same call of ${tool.id} has just run. Its confirmation was valid for one call.`,
    {
      hint: "If your user wants the call to run again, send it without `confirmed` first, and ask your user.",
    },
  );
}

type Confirm = Extract<PolicyDecision, { kind: "confirm" }>;

interface PendingRequest {
  readonly id: string;
  readonly leftMs: number;
}

function unconfirmed(decision: Confirm, { id, leftMs }: PendingRequest): DiscoveryError {
  const step = { action: decision.answerer === "caller" ? "confirm" : "approve", id } as const;
  return new DiscoveryError(decision.code, decision.reason, {
    hint: decision.alsoNeedsKey ? [step, "The call also needs an idempotency key.", { action: "pass-key" }] : step,
    facts: { approval_id: id, expires_in_seconds: Math.max(0, Math.round(leftMs / 1000)) },
  });
}

function invalidBeforeConfirmation(
  { code, reason }: Confirm,
  violations: readonly ArgumentViolation[],
): DiscoveryError {
  return new DiscoveryError(code, `${reason} The arguments do not match the tool's schema.`, {
    hint: "Correct the arguments first: the user is asked only about valid calls.",
    facts: { violations: toLines(violations) },
  });
}

/** Converts a policy decision that forbids the call to the error for the caller. */
export function refusal(decision: PolicyDecision, tool: Tool, { differences }: PinState): DiscoveryError {
  if (decision.kind === "allow" || decision.kind === "confirm") {
    return new DiscoveryError("CONFIRMATION_REQUIRED", `The call of ${tool.id} must be confirmed.`, {
      hint: "The policy changed while the call waited. Repeat the call to request a confirmation.",
    });
  }
  const missing = decision.kind === "deny" ? decision.missing : undefined;
  return new DiscoveryError(decision.code, decision.reason, {
    hint: decision.hint,
    facts: {
      ...(missing === undefined ? {} : { missing_scopes: missing }),
      ...(decision.code === "TOOL_QUARANTINED" && differences ? { changed: differences } : {}),
    },
    cause: decision.kind === "deny" ? decision.cause : undefined,
  });
}
