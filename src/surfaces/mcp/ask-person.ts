// A question comes in; it reaches the person behind the client, and their word goes out. Whether it is needed, for what
// it counts and for how long is not known here.
import { createHmac, timingSafeEqual } from "node:crypto";
import { CLIENT_CAPABILITIES_META_KEY } from "@modelcontextprotocol/server";
import type { AskPerson, Question } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { underSignals } from "../../util/under-signals.js";
import { toForm, toVerdict } from "./question-form.js";
import type { RequestContext } from "./request-context.js";

export interface AskingParts {
  readonly era: "legacy" | "modern";
  /** What the client declared in the handshake; of the legacy era. */
  readonly capabilities: unknown;
  /** Shows that a question was put to the client by whoever has the key. */
  readonly stateKey: Uint8Array;
  /** Nothing that the client says is heard any more. */
  readonly deaf: AbortSignal;
}

export interface Asking {
  readonly ask: AskPerson;
  /** The answer that puts a question to the person, where only another round of the request can. */
  readonly nextRound: () => JsonObject | undefined;
}

/** Undefined when the client has not declared that it can show a form. */
export function createAsking(context: RequestContext, parts: AskingParts): Asking | undefined {
  if (parts.era === "legacy") {
    if (!canShowForms(parts.capabilities)) return undefined;
    return { ask: askNow(context, parts.deaf), nextRound: () => undefined };
  }
  const envelope: unknown = context.mcpReq.envelope;
  const declared = isJsonObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  return canShowForms(declared) ? askInRounds(context, parts.stateKey) : undefined;
}

/** Without any mode it means forms, as before there were modes (2025-06-18). */
function canShowForms(capabilities: unknown): boolean {
  const elicitation = isJsonObject(capabilities) ? capabilities["elicitation"] : undefined;
  return isJsonObject(elicitation) && (elicitation["form"] !== undefined || elicitation["url"] === undefined);
}

/** The legacy era: a request of ours, on the connection that the call came from, while the call waits. */
function askNow({ mcpReq }: RequestContext, deaf: AbortSignal): AskPerson {
  return async (question, signal) => {
    const form = toForm(question);
    if (form === undefined) return "unanswered";
    // The mode is left out: form is what it means (2025-11-25), and older clients do not know the word.
    const request = { method: "elicitation/create", params: form } as const;
    try {
      return await underSignals([mcpReq.signal, deaf, signal], async (both) =>
        toVerdict(await mcpReq.send(request, { timeout: question.ttlMs, signal: both })),
      );
    } catch {
      return "unanswered";
    }
  };
}

const KEY = "confirmation";

/**
 * The modern era (2026-07-28): the request is answered with the question, and comes again with the person's word. The
 * word counts for the question that this process has put, and no other: whatever else comes with it is asked about anew.
 */
function askInRounds({ mcpReq }: RequestContext, stateKey: Uint8Array): Asking {
  let next: JsonObject | undefined;
  return {
    ask: (question) => {
      const form = toForm(question);
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
    nextRound: () => next,
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
