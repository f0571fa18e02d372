// Decides whether one call may run, from its tool, its actor and its approval. Pure: it reads neither the arguments of
// the call nor the clock nor storage.
import type { Hint, NextStep } from "../model/next-steps.js";
import type { ConfirmationState } from "./confirmation.js";
import type { PolicyOptions } from "./options.js";
import { isAtLeast, type Risk } from "./risk.js";
import type { Ruling } from "./ruling.js";
import { missingScopes } from "./scopes.js";

/** The policy options that a decision depends on. */
export type DecisionOptions = Pick<PolicyOptions, "preset" | "confirmation" | "idempotency" | "pinning">;

export interface PolicyActor {
  readonly id: string;
  /**
   * `local`: a caller without an access token, such as the user of this machine or an MCP client on it. `token`: a
   * caller with an access token.
   */
  readonly kind: "local" | "token";
  readonly scopes: readonly string[];
}

/** Who confirms the call: the client's user in a dialog, a user with the gateway's CLI, or the caller itself. */
export type Answerer = "client" | "user" | "caller";

/** The properties of a call that the decision depends on. */
export interface CallFacts {
  readonly profile?: "discovery" | "gateway" | undefined;
  readonly hasKey: boolean;
  /** Whether the caller states that its user confirmed the call. */
  readonly confirmed: boolean;
  /** Whether the client can ask its user (MCP elicitation). */
  readonly canAsk: boolean;
  readonly dryRun: boolean;
  /** The approval for exactly this call (actor, tool, definition and arguments), if there is one. */
  readonly approval?: { readonly id: string; readonly state: ConfirmationState } | undefined;
}

export interface PolicyQuestion {
  readonly toolId: string;
  readonly ruling: Pick<Ruling, "risk" | "scopes" | "needsPerson">;
  /**
   * Whether the tool's current definition equals the approved one. `new`: no definition of the tool was ever approved.
   */
  readonly pin: "same" | "changed" | "new";
  /** The caller; undefined if it could not be identified. */
  readonly actor: PolicyActor | undefined;
  readonly call: CallFacts;
}

export type PolicyDecision =
  /** The call may run. If it has an approval, the approval is redeemed right before the call is sent. */
  | { readonly kind: "allow" }
  | Denial
  | {
      readonly kind: "confirm";
      readonly code: "CONFIRMATION_REQUIRED";
      readonly reason: string;
      readonly answerer: Answerer;
      /** Whether the call also lacks a required idempotency key. */
      readonly alsoNeedsKey: boolean;
    }
  | {
      readonly kind: "needsKey";
      readonly code: "IDEMPOTENCY_REQUIRED";
      readonly reason: string;
      readonly hint: Hint;
    };

export interface Denial {
  readonly kind: "deny";
  readonly code: "UNAUTHORIZED" | "SCOPE_REQUIRED" | "POLICY_DENIED" | "TOOL_QUARANTINED";
  readonly reason: string;
  readonly hint: Hint;
  /** The scopes that the actor needs but does not have. */
  readonly missing?: readonly string[];
  /** The exception, if the policy itself failed. */
  readonly cause?: unknown;
}

/** Decides about a call. Never throws: if the decision itself fails, the call is denied. */
export function decidePolicy(question: PolicyQuestion, options: DecisionOptions): PolicyDecision {
  try {
    return (
      checkActor(question) ??
      checkScopes(question) ??
      checkDeclaredRisk(question, options) ??
      checkPin(question, options) ??
      checkConfirmation(question, options) ??
      checkKey(question, options) ?? { kind: "allow" }
    );
  } catch (cause) {
    const hint = "Nothing was sent. Report the failure to the operator of the gateway.";
    return { kind: "deny", code: "POLICY_DENIED", reason: "The policy could not decide about the call.", hint, cause };
  }
}

function checkActor({ toolId, actor }: PolicyQuestion): Denial | undefined {
  if (actor !== undefined && actor.id !== "") return undefined;
  const reason = `The caller of ${toolId} could not be identified.`;
  return { kind: "deny", code: "UNAUTHORIZED", reason, hint: "Authenticate the request." };
}

function checkScopes({ toolId, ruling, actor }: PolicyQuestion): Denial | undefined {
  const missing = missingScopes(ruling.scopes, actor?.scopes ?? []);
  if (missing.length === 0) return undefined;
  const hint: Hint =
    actor?.kind === "local"
      ? ["Choose another tool, or allow this one.", localScopes(missing)]
      : "Choose another tool, or call with a token that has the missing scopes.";
  const reason = `${toolId} requires ${missing.length === 1 ? "the scope" : "the scopes"} ${missing.join(", ")}.`;
  return { kind: "deny", code: "SCOPE_REQUIRED", reason, hint, missing };
}

function localScopes(missing: readonly string[]): NextStep {
  return { action: "edit-config", key: "policy.localScopes", change: "add", value: missing.join(" and ") };
}

function checkDeclaredRisk({ toolId, ruling }: PolicyQuestion, { preset }: DecisionOptions): Denial | undefined {
  const { kind } = ruling.risk.origin;
  if (preset !== "strict" || (kind !== "default" && kind !== "evidence")) return undefined;
  return {
    kind: "deny",
    code: "POLICY_DENIED",
    reason: `The policy preset is strict, and no risk is declared for ${toolId}.`,
    hint: [
      "Choose another tool, or state its risk.",
      { action: "edit-config", key: "policy.risk", change: "add", value: toolId },
    ],
  };
}

function checkPin({ toolId, pin }: PolicyQuestion, { pinning }: DecisionOptions): Denial | undefined {
  if (pinning !== "enforce" || pin === "same") return undefined;
  const what = pin === "new" ? "is new" : "has changed";
  return {
    kind: "deny",
    code: "TOOL_QUARANTINED",
    reason: `The definition of ${toolId} ${what} and must be approved.`,
    hint: [
      { action: "run-command", command: "anygpt mcp pins diff", purpose: "review the definition" },
      { action: "run-command", command: "anygpt mcp pins approve", purpose: "approve it" },
    ],
  };
}

function needsConfirmation({ ruling }: PolicyQuestion, { confirmation }: DecisionOptions): boolean {
  if (ruling.needsPerson === true) return true;
  return confirmation.mode !== "never" && isAtLeast(ruling.risk.risk, confirmation.from);
}

/** Whether callers may confirm their own calls, by stating that their user confirmed them. */
export function mayConfirmItself({ needsPerson }: Pick<Ruling, "needsPerson">, mode: ConfirmationMode): boolean {
  return mode === "auto" && needsPerson !== true;
}

type ConfirmationMode = DecisionOptions["confirmation"]["mode"];

/**
 * Whether the approval allows the call: a user approved it, or it is pending and the caller may confirm it itself (mode
 * `auto`).
 */
function isConfirmed({ call, ruling }: PolicyQuestion, { confirmation }: DecisionOptions): boolean {
  if (call.approval?.state === "approved") return true;
  if (!mayConfirmItself(ruling, confirmation.mode)) return false;
  return !call.canAsk && call.confirmed && call.approval?.state === "pending";
}

function checkConfirmation(question: PolicyQuestion, options: DecisionOptions): PolicyDecision | undefined {
  if (!needsConfirmation(question, options) || isConfirmed(question, options)) return undefined;
  const { toolId, ruling, call } = question;
  if (call.approval?.state === "denied") {
    const hint = "Do not repeat the call. Ask the user what to do instead.";
    return { kind: "deny", code: "POLICY_DENIED", reason: `The user denied this call of ${toolId}.`, hint };
  }
  return {
    kind: "confirm",
    code: "CONFIRMATION_REQUIRED",
    reason: reasonToAsk(toolId, ruling),
    answerer: call.canAsk ? "client" : mayConfirmItself(ruling, options.confirmation.mode) ? "caller" : "user",
    alsoNeedsKey: checkKey(question, options) !== undefined,
  };
}

function reasonToAsk(toolId: string, { risk, needsPerson }: PolicyQuestion["ruling"]): string {
  if (needsPerson === true) return `Every call of ${toolId} has to be confirmed by a user.`;
  return `The risk of ${toolId} is ${risk.risk}, and the call has to be confirmed.`;
}

function checkKey(
  { toolId, ruling, call }: PolicyQuestion,
  { idempotency }: DecisionOptions,
): PolicyDecision | undefined {
  const from = idempotency.requiredFrom[call.profile === "gateway" ? "gateway" : "elsewhere"];
  if (call.hasKey || !isKeyRequired(ruling.risk.risk, from)) return undefined;
  const reason = `The risk of ${toolId} is ${ruling.risk.risk}, and the call needs an idempotency key.`;
  return { kind: "needsKey", code: "IDEMPOTENCY_REQUIRED", reason, hint: { action: "pass-key" } };
}

/**
 * Whether a call of this risk needs an idempotency key. A low-risk call never does: it only reads, so that running it
 * twice is harmless, and its stored result would be out of date.
 */
export function isKeyRequired(risk: Risk, from: Risk | "never"): boolean {
  return from !== "never" && risk !== "low" && isAtLeast(risk, from);
}
