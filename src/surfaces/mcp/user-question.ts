// Asks the user of an MCP client to confirm a call, through elicitation. The policy decides when to ask and how long a
// confirmation is valid.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { AskPerson, Question } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { withAnySignal } from "../../util/with-any-signal.js";
import { toElicitationForm, toVerdict } from "./question-form.js";
import type { RequestContext } from "./request-context.js";

export interface UserQuestionParts {
  readonly era: "legacy" | "modern";
  /** The key for the HMAC in `requestState`. The HMAC proves that this gateway asked the question. */
  readonly stateKey: Uint8Array;
  /** Aborts when the gateway stops reading messages from the client, so that no response can arrive. */
  readonly inputClosed: AbortSignal;
}

export interface UserQuestion {
  readonly ask: AskPerson;
  /** Returns the `input_required` result that asks the user (MCP 2026-07-28); undefined if no question is open. */
  readonly nextRoundTrip: () => JsonObject | undefined;
}

/** Creates the functions that ask the user; undefined if the client has not declared elicitation in form mode. */
export function createUserQuestion(
  context: RequestContext,
  declared: unknown,
  { era, inputClosed, stateKey }: UserQuestionParts,
): UserQuestion | undefined {
  if (!canShowForms(declared)) return undefined;
  if (era === "legacy") return { ask: askNow(context, inputClosed), nextRoundTrip: () => undefined };
  return askInRoundTrips(context, stateKey);
}

/**
 * Whether the client can show elicitation forms. A capability without modes means form mode, because MCP 2025-06-18 had
 * no modes.
 */
function canShowForms(capabilities: unknown): boolean {
  const elicitation = isJsonObject(capabilities) ? capabilities["elicitation"] : undefined;
  return isJsonObject(elicitation) && (elicitation["form"] !== undefined || elicitation["url"] === undefined);
}

/**
 * Asks a legacy client (MCP before 2026-07-28): sends an elicitation request on the connection of the call while the
 * call waits.
 */
function askNow({ mcpReq }: RequestContext, inputClosed: AbortSignal): AskPerson {
  return async (question, signal) => {
    const form = toElicitationForm(question);
    if (form === undefined) return "unanswered";
    // `mode` is omitted: the default is "form" (MCP 2025-11-25), and older clients do not know this member.
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
 * Asks a modern client (MCP 2026-07-28 and later): the result of the call contains the question, and the client repeats
 * the call with the user's response. The response is accepted only if `requestState` proves that this process asked
 * this question; otherwise the gateway asks again.
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
