// One call comes in with what is known of its tool, its actor and its approval; what is to be done about it goes out.
// Arguments, the clock and where anything is kept are not known here.
import type { Surface } from "../model/actor.js";
import type { ApprovalState } from "./confirmation.js";
import type { PolicyOptions } from "./options.js";
import { isAtLeast } from "./risk.js";
import type { Ruling } from "./ruling.js";
import { missingScopes } from "./scopes.js";
import { type Answerer, keyHint } from "./wording.js";

/** The options that a decision depends on. */
export type DecisionOptions = Pick<PolicyOptions, "preset" | "confirmation" | "idempotency" | "pinning">;

export interface PolicyActor {
  readonly id: string;
  /** `local`: the person at this machine, or a program of theirs. */
  readonly kind: "local" | "token";
  readonly scopes: readonly string[];
}

/** What the caller asks for, and what is known of this very call. */
export interface CallFacts {
  readonly surface: Surface;
  readonly profile?: "discovery" | "gateway" | undefined;
  readonly hasKey: boolean;
  /** What the caller says itself. */
  readonly confirmed: boolean;
  /** The client can put a question to its person. */
  readonly canAsk: boolean;
  readonly dryRun: boolean;
  /** The approval bound to this actor, tool, definition and these arguments, if there is one. */
  readonly approval?: { readonly id: string; readonly state: ApprovalState } | undefined;
}

export interface Question {
  readonly toolId: string;
  readonly ruling: Pick<Ruling, "risk" | "scopes" | "needsPerson">;
  /** Whether the tool's definition is one that is approved; `new`: none of the tool is. */
  readonly pin: "same" | "changed" | "new";
  /** Undefined when nobody could be made out. */
  readonly actor: PolicyActor | undefined;
  readonly call: CallFacts;
}

export type Decision =
  /** The call may go on; right before it is sent its approval is redeemed. */
  | { readonly kind: "allow" }
  | Denial
  | {
      readonly kind: "confirm";
      readonly code: "CONFIRMATION_REQUIRED";
      readonly reason: string;
      readonly answerer: Answerer;
      /** The call will lack an idempotency key as well. */
      readonly alsoNeedsKey: boolean;
    }
  | {
      readonly kind: "needsKey";
      readonly code: "IDEMPOTENCY_REQUIRED";
      readonly reason: string;
      readonly hint: string;
    };

export interface Denial {
  readonly kind: "deny";
  readonly code: "UNAUTHORIZED" | "SCOPE_REQUIRED" | "POLICY_DENIED" | "TOOL_QUARANTINED";
  readonly reason: string;
  readonly hint: string;
  /** The scopes that are missing, and no others. */
  readonly missing?: readonly string[];
  /** What went wrong, when nothing could be decided. */
  readonly cause?: unknown;
}

/** Never throws: what cannot be decided is denied. */
export function decide(question: Question, options: DecisionOptions): Decision {
  try {
    return (
      checkActor(question) ??
      checkScopes(question) ??
      checkStated(question, options) ??
      checkPin(question, options) ??
      checkConfirmation(question, options) ??
      checkKey(question, options) ?? { kind: "allow" }
    );
  } catch (cause) {
    const hint = "Nothing was sent. Report it to the person who runs the gateway.";
    return { kind: "deny", code: "POLICY_DENIED", reason: "The policy could not decide about the call.", hint, cause };
  }
}

function checkActor({ toolId, actor }: Question): Denial | undefined {
  if (actor !== undefined && actor.id !== "") return undefined;
  const reason = `Nobody is known to be calling ${toolId}.`;
  return { kind: "deny", code: "UNAUTHORIZED", reason, hint: "Authenticate and call again." };
}

function checkScopes({ toolId, ruling, actor }: Question): Denial | undefined {
  const missing = missingScopes(ruling.scopes, actor?.scopes ?? []);
  if (missing.length === 0) return undefined;
  const hint =
    actor?.kind === "local"
      ? "Choose another tool, or ask the person who runs the gateway to add what is missing to policy.localScopes."
      : "Choose another tool, or call with a token that has what is missing.";
  const reason = `${toolId} requires ${missing.length === 1 ? "the scope" : "the scopes"} ${missing.join(", ")}.`;
  return { kind: "deny", code: "SCOPE_REQUIRED", reason, hint, missing };
}

function checkStated({ toolId, ruling }: Question, { preset }: DecisionOptions): Denial | undefined {
  if (preset !== "strict" || ruling.risk.origin.kind !== "default") return undefined;
  return {
    kind: "deny",
    code: "POLICY_DENIED",
    reason: `The policy is strict, and nobody has stated how risky ${toolId} is.`,
    hint: "Choose another tool, or ask the person who runs the gateway to add it to policy.risk.",
  };
}

function checkPin({ toolId, pin }: Question, { pinning }: DecisionOptions): Denial | undefined {
  if (pinning !== "enforce" || pin === "same") return undefined;
  const what = pin === "new" ? "is new" : "has changed";
  return {
    kind: "deny",
    code: "TOOL_QUARANTINED",
    reason: `The definition of ${toolId} ${what} and has to be approved.`,
    hint: 'Ask the person who runs the gateway to look at it with "anygpt mcp pins diff" and to approve it.',
  };
}

function needsConfirmation({ ruling }: Question, { confirmation }: DecisionOptions): boolean {
  if (ruling.needsPerson === true) return true;
  return confirmation.mode !== "never" && isAtLeast(ruling.risk.risk, confirmation.from);
}

/** Whether callers may say themselves that their person wants a call. */
export function mayConfirmItself({ needsPerson }: Pick<Ruling, "needsPerson">, mode: ConfirmationMode): boolean {
  return mode === "auto" && needsPerson !== true;
}

type ConfirmationMode = DecisionOptions["confirmation"]["mode"];

/** Whether the call's own approval lets it pass: a person's yes, or in mode `auto` the caller's own to a question that waits. */
function isConfirmed({ call, ruling }: Question, { confirmation }: DecisionOptions): boolean {
  if (call.approval?.state === "approved") return true;
  if (!mayConfirmItself(ruling, confirmation.mode)) return false;
  return !call.canAsk && call.confirmed && call.approval?.state === "pending";
}

function checkConfirmation(question: Question, options: DecisionOptions): Decision | undefined {
  if (!needsConfirmation(question, options) || isConfirmed(question, options)) return undefined;
  const { toolId, ruling, call } = question;
  if (call.approval?.state === "denied") {
    const hint = "Do not repeat it; ask your person what to do instead.";
    return { kind: "deny", code: "POLICY_DENIED", reason: `A person refused this call of ${toolId}.`, hint };
  }
  return {
    kind: "confirm",
    code: "CONFIRMATION_REQUIRED",
    reason: reasonToAsk(toolId, ruling),
    answerer: call.canAsk ? "client" : mayConfirmItself(ruling, options.confirmation.mode) ? "caller" : "person",
    alsoNeedsKey: checkKey(question, options) !== undefined,
  };
}

function reasonToAsk(toolId: string, { risk, needsPerson }: Question["ruling"]): string {
  if (needsPerson === true) return `Every call of ${toolId} has to be confirmed by a person.`;
  return `The risk of ${toolId} is ${risk.risk}, and the call has to be confirmed.`;
}

function checkKey({ toolId, ruling, call }: Question, { idempotency }: DecisionOptions): Decision | undefined {
  const from = idempotency.requiredFrom[call.profile === "gateway" ? "gateway" : "elsewhere"];
  if (from === "never" || call.hasKey || !isAtLeast(ruling.risk.risk, from)) return undefined;
  const reason = `The risk of ${toolId} is ${ruling.risk.risk}, and the call needs an idempotency key.`;
  return { kind: "needsKey", code: "IDEMPOTENCY_REQUIRED", reason, hint: keyHint(call.surface) };
}
