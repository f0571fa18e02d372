// Asks the user of an MCP client to confirm a call, through elicitation. The policy decides when to ask and how long an
// answer is valid.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { AskPerson, Question } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { withAnySignal } from "../../util/with-any-signal.js";
import { toElicitationForm, toVerdict } from "./question-form.js";
import type { RequestContext } from "./request-context.js";

export interface UserQuestionParts {
  readonly era: "legacy" | "modern";
  /** The HMAC key of `requestState`, which proves that this gateway asked the question. */
  readonly stateKey: Uint8Array;
  /** Aborts when the gateway stops reading messages of the client, so that no answer can arrive. */
  readonly inputClosed: AbortSignal;
}

export interface UserQuestion {
  readonly ask: AskPerson;
  /** The `input_required` result that asks the user (2026-07-28); undefined if no question is open. */
  readonly nextRoundTrip: () => JsonObject | undefined;
}

/** Undefined if the client has not declared elicitation in form mode. */
export function createUserQuestion(
  context: RequestContext,
  declared: unknown,
  { era, inputClosed, stateKey }: UserQuestionParts,
): UserQuestion | undefined {
  if (!canShowForms(declared)) return undefined;
  if (era === "legacy") return { ask: askNow(context, inputClosed), nextRoundTrip: () => undefined };
  return askInRoundTrips(context, stateKey);
}

/** An elicitation capability without modes means form mode, as in 2025-06-18, which had no modes. */
function canShowForms(capabilities: unknown): boolean {
  const elicitation = isJsonObject(capabilities) ? capabilities["elicitation"] : undefined;
  return isJsonObject(elicitation) && (elicitation["form"] !== undefined || elicitation["url"] === undefined);
}

/** Legacy era: sends an elicitation request on the connection of the call, while the call waits. */
function askNow({ mcpReq }: RequestContext, inputClosed: AbortSignal): AskPerson {
  return async (question, signal) => {
    const form = toElicitationForm(question);
    if (form === undefined) return "unanswered";
    // `mode` is omitted: the default is "form" (2025-11-25), and older clients do not know the member.
    const request = { method: "elicitation/create", params: form } as const;
    try {
      return await withAnySignal([mcpReq.signal, inputClosed, signal], async (both) =>
        toVerdict(await mcpReq.send(request, { timeout: question.ttlMs, signal: both })),
      );
    } catch {
      return "unanswered";
    }
  };
}

const KEY = "confirmation";

/**
 * Modern era (2026-07-28): the gateway answers the call with the question, and the client repeats the call with the user's
 * answer. The answer is only accepted for the question that this process asked; with any other `requestState`, the gateway
 * asks again.
 */
function askInRoundTrips({ mcpReq }: RequestContext, stateKey: Uint8Array): UserQuestion {
  let next: JsonObject | undefined;
  return {
    ask: (question) => {
      const form = toElicitationForm(question);
      if (form === undefined) return Promise.resolve("unanswered");
      const answer = mcpReq.inputResponses?.[KEY];
      const state = toState(question, stateKey);
      if (answer !== undefined && isSame(mcpReq.requestState(), state)) return Promise.resolve(toVerdict(answer));
      next = {
        resultType: "input_required",
        inputRequests: { [KEY]: { method: "elicitation/create", params: { mode: "form", ...form } } },
        requestState: state,
      };
      return Promise.resolve("unanswered");
    },
    nextRoundTrip: () => next,
  };
}

function toState({ id }: Question, key: Uint8Array): string {
  return `${id}.${createHmac("sha256", key).update(id).digest("base64url")}`;
}

function isSame(given: unknown, expected: string): boolean {
  if (typeof given !== "string") return false;
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
