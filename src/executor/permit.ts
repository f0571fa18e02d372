// May this call run? The policy, the arguments, the caller's key and, where needed, a person are asked, in that order.
import { DiscoveryError } from "../errors.js";
import { type Call, isIdempotencyKey } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { type CallFacts, type Decision, mayConfirmItself } from "../policy/decide.js";
import type { Policy } from "../policy/policy.js";
import type { Ruling } from "../policy/ruling.js";
import { confirmationHint } from "../policy/wording.js";
import type { ApprovalSubject } from "../store/approvals.js";
import { misfit, toArguments, toLines } from "./arguments.js";
import type { Violation } from "./check-value.js";
import type { Confirmations } from "./confirmations.js";
import type { Idempotency, KeyedCall, Replay } from "./idempotency.js";
import type { Seals } from "./seals.js";
import type { Validation } from "./validation.js";

export interface PermitParts {
  readonly policy: Policy;
  /** Which tools agents see: the policy may want more of calls there. */
  readonly profile?: "discovery" | "gateway";
  /** Whether the tool's definition is the one that was first seen or approved, and if not, where it differs. */
  readonly pinOf: (tool: Tool) => PinState;
  readonly validation: Validation;
  readonly confirmations: Confirmations;
  readonly idempotency: Idempotency;
  readonly seals: () => Promise<Seals>;
  readonly now: () => number;
}

export interface PinState {
  readonly kind: "same" | "changed" | "new";
  readonly differences?: readonly string[];
}

/** A person's leave for one call. */
export interface Approved {
  readonly id: string;
  readonly subject: ApprovalSubject;
  readonly from: "pending" | "approved";
}

export interface Permit {
  readonly tool: Tool;
  readonly ruling: Ruling;
  readonly arguments: JsonObject;
  readonly facts: CallFacts;
  readonly pin: PinState;
  readonly keyed?: KeyedCall | undefined;
  /** The key's first call decides: nothing runs. */
  readonly replay?: Replay;
  /** To be redeemed right before the call is sent. */
  readonly approved?: Approved;
  /** Of a dry run: the call would have to be confirmed. */
  readonly wouldAsk?: true;
}

/** A call that wants to run. */
export interface Applicant {
  readonly call: Call;
  readonly tool: Tool;
  /** Hears of the arguments as soon as they are known to be what they seem. */
  readonly onArguments: (given: JsonObject) => Promise<void> | undefined;
}

/** Throws the refusal, if there is one. */
export async function obtainPermit(
  { call, tool, onArguments }: Applicant,
  parts: PermitParts,
  signal?: AbortSignal,
): Promise<Permit> {
  const { policy, validation, idempotency } = parts;
  const ruling = policy.ruling(tool);
  const pin = parts.pinOf(tool);
  const facts = toFacts(call, parts);
  const judge = (more: CallFacts): Decision => policy.judge({ tool, pin: pin.kind, actor: call.actor, call: more });
  const first = judge(facts);
  if (first.kind === "deny" || first.kind === "needsKey") throw refusal(first, tool, pin);

  const given = withKey(toArguments(call, tool), call, { tool, ruling });
  const noting = onArguments(given);
  if (noting !== undefined) await noting;
  const keyed = await toKeyed(call, { tool, given, ruling }, parts);
  const known = keyed === undefined ? undefined : await settled(idempotency.look(keyed));
  const violations = await validation.check(tool, given);
  const base: Permit = { tool, ruling, arguments: given, facts, pin, keyed };
  // A call that will not run is nothing that anybody has to agree to.
  if (first.kind === "confirm" && known === undefined) {
    const judgeWith = (more: Partial<CallFacts>): Decision => judge({ ...facts, ...more });
    const leave = await confirm(call, { tool, given, ruling, pin, violations, judge: judgeWith }, parts, signal);
    if (violations.length > 0) throw misfit(tool, violations);
    return { ...base, ...leave };
  }
  if (violations.length > 0) throw misfit(tool, violations);
  if (known?.kind === "refused") throw known.reason;
  return known === undefined ? base : { ...base, replay: known.replay };
}

function toFacts(call: Call, { profile }: PermitParts): CallFacts {
  return {
    surface: call.actor.surface,
    profile: call.profile ?? profile,
    hasKey: call.idempotencyKey !== undefined,
    confirmed: call.confirmed === true,
    // On the command line `--confirmed` answers an open question, and without one the terminal asks.
    canAsk: call.ask !== undefined && !(isCommandLine(call) && call.confirmed === true),
    dryRun: call.dryRun === true,
  };
}

function isCommandLine({ actor }: Call): boolean {
  return actor.surface === "cli";
}

type Settled =
  | { readonly kind: "replay"; readonly replay: Replay }
  | { readonly kind: "refused"; readonly reason: unknown };

/** Kept until its turn: what is wrong with the arguments is told before what is wrong with the key. */
async function settled(looking: Promise<Replay | undefined>): Promise<Settled | undefined> {
  try {
    const replay = await looking;
    return replay && { kind: "replay", replay };
  } catch (reason) {
    return { kind: "refused", reason };
  }
}

/** Where the tool takes the key as an argument, it belongs to what is checked, shown and sent. */
function withKey(
  given: JsonObject,
  { idempotencyKey: key }: Call,
  { tool, ruling }: Omit<Considered, "given">,
): JsonObject {
  const { sendAs } = ruling.key;
  if (key === undefined || sendAs === undefined || sendAs === "_meta") return given;
  if (!Object.hasOwn(given, sendAs)) return { ...given, [sendAs]: key };
  if (given[sendAs] === key) return given;
  throw new DiscoveryError("INVALID_REQUEST", `The argument ${sendAs} of ${tool.id} is not the idempotency key.`, {
    hint: "Leave the argument out; the key is put there.",
  });
}

interface Considered {
  readonly tool: Tool;
  readonly given: JsonObject;
  readonly ruling: Ruling;
}

async function toKeyed(
  { idempotencyKey: key, actor }: Call,
  { tool, given, ruling }: Considered,
  { seals }: PermitParts,
): Promise<KeyedCall | undefined> {
  if (key === undefined) return undefined;
  if (!isIdempotencyKey(key)) {
    throw new DiscoveryError("INVALID_REQUEST", "The idempotency key is not 1 to 255 visible ASCII characters.", {
      hint: "Pass another key, such as a UUID.",
    });
  }
  const fingerprint = (await seals()).fingerprint({ arguments: given, definitionHash: tool.hash });
  return { scope: { actor: actor.id, tool: tool.id, key }, fingerprint, isIdempotent: ruling.key.isIdempotent };
}

interface Confirming extends Considered {
  readonly pin: PinState;
  readonly violations: readonly Violation[];
  readonly judge: (more: Partial<CallFacts>) => Decision;
}

async function confirm(
  call: Call,
  considered: Confirming,
  parts: PermitParts,
  signal?: AbortSignal,
): Promise<{ approved?: Approved; wouldAsk?: true }> {
  const { tool, given, violations, judge } = considered;
  const { confirmations, policy } = parts;
  const { id: actorId } = call.actor;
  const bound = { actorId, toolId: tool.id, definitionHash: tool.hash, arguments: given };
  const subject = { actor: actorId, tool: tool.id, binding: (await parts.seals()).bind(bound) };
  const approval = await confirmations.lookup(subject);
  // What was asked where only a person may answer is not the caller's to confirm.
  const decision = judge({ approval, ...(approval?.selfService === false ? { confirmed: false } : {}) });
  if (decision.kind === "allow" && approval !== undefined) {
    return { approved: { id: approval.id, subject, from: approval.state === "approved" ? "approved" : "pending" } };
  }
  if (decision.kind !== "confirm") throw refusal(decision, tool, considered.pin);
  // Nobody is asked about a call that could not be made.
  if (violations.length > 0) throw misfitting(decision, violations);
  if (Buffer.byteLength(JSON.stringify(given)) > LARGEST_JUDGED_BYTES) throw tooLargeToJudge(tool);
  if (call.dryRun === true) return { wouldAsk: true };
  const { risk, origin } = considered.ruling.risk;
  const shown = { risk, riskOrigin: origin.detail, arguments: given };
  const isItsOwn = mayConfirmItself(considered.ruling, policy.options.confirmation.mode);
  // The user of the command line may come back to an interrupted dialogue with `--confirmed`.
  const selfService = isItsOwn && (call.ask === undefined || isCommandLine(call));
  // Asked for again where only a person may answer, a question that waits becomes the person's.
  const asked = await confirmations.open(subject, shown, selfService);
  const consent = isCommandLine(call) && (isItsOwn || call.consent?.isAttended === true) ? call.consent : undefined;
  const question = { id: asked.id, toolId: tool.id, ...shown, ttlMs: ttlMsOf(policy) };
  const answer = consent === undefined ? await call.ask?.(question, signal) : "accepted";
  const by = consent?.by ?? "client";
  if (answer === "accepted" && (await confirmations.answer(asked.id, "approved", by)) !== undefined) {
    return { approved: { id: asked.id, subject, from: "approved" } };
  }
  if (answer === "declined") {
    await confirmations.answer(asked.id, "denied", "client");
    throw refusal(judge({ approval: { id: asked.id, state: "denied" } }), tool, considered.pin);
  }
  throw unconfirmed(decision, { id: asked.id, leftMs: asked.expiresAt - parts.now() }, call);
}

/** Questions are kept, and a person has to read them. */
const LARGEST_JUDGED_BYTES = 65_536;

function tooLargeToJudge(tool: Tool): DiscoveryError {
  return new DiscoveryError("POLICY_DENIED", `The arguments of ${tool.id} are too large for anybody to judge.`, {
    hint: "Pass less at once.",
    facts: { most_bytes: LARGEST_JUDGED_BYTES },
  });
}

function ttlMsOf({ options }: Policy): number {
  return options.confirmation.ttlSeconds * 1000;
}

type Confirm = Extract<Decision, { kind: "confirm" }>;

interface Waiting {
  readonly id: string;
  readonly leftMs: number;
}

function unconfirmed(decision: Confirm, { id, leftMs }: Waiting, call: Call): DiscoveryError {
  const hint = confirmationHint(decision.answerer, id, call.actor.surface);
  return new DiscoveryError(decision.code, decision.reason, {
    hint: decision.alsoNeedsKey ? `${hint} It needs an idempotency key as well.` : hint,
    facts: { approval_id: id, expires_in_seconds: Math.max(0, Math.round(leftMs / 1000)) },
  });
}

function misfitting({ code, reason }: Confirm, violations: readonly Violation[]): DiscoveryError {
  return new DiscoveryError(code, `${reason} Before that, its arguments have to fit.`, {
    hint: "Correct the arguments and call again; only then will anybody be asked.",
    facts: { violations: toLines(violations) },
  });
}

/** A decision against the call, as the error that its caller gets. */
export function refusal(decision: Decision, tool: Tool, { differences }: PinState): DiscoveryError {
  if (decision.kind === "allow" || decision.kind === "confirm") {
    return new DiscoveryError("CONFIRMATION_REQUIRED", `The call of ${tool.id} has to be confirmed.`, {
      hint: "The policy changed while the call waited. Call again.",
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
