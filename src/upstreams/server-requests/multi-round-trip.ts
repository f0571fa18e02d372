// Multi-round-trip requests (MCP 2026-07-28 and later): if a server responds that it needs input, requests the input
// from the caller's client and returns the members with which the request is sent again.
import { DiscoveryError } from "../../errors.js";
import type { CallerPeer, PeerQuestion } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { isWithinDepth } from "../../util/depth.js";
import { cutAtWord, toOneLine } from "../../util/text.js";
import type { ServerResponse, ExchangeRequest } from "../open-request.js";
import { attributeRequest, type AttributionParts } from "./attribution.js";
import { isServerRequest, missingCapability } from "./capabilities.js";

const MAX_ROUNDS = 20;
const MAX_QUESTIONS = 32;
/** Maximum nesting depth of input requests. JSON serialization of deeper data would exhaust the call stack. */
const MAX_DEPTH = 500;
/** Delay before a request is sent again if the server asks for a repetition without input. */
const PAUSE_MS = 250;

type Question = Required<PeerQuestion>;

/** Creates the `ExchangeRequest.more` function of one request. */
export function createMultiRoundTrip(
  attribution: AttributionParts,
  peer: CallerPeer | undefined,
): NonNullable<ExchangeRequest["more"]> {
  const { server } = attribution;
  let rounds = 0;
  return (answer, ended) => {
    const required = toInputRequired(answer);
    if (required === undefined) return undefined;
    rounds += 1;
    return rounds > MAX_ROUNDS
      ? Promise.reject(failure(server, `asks for input more than ${MAX_ROUNDS} times`))
      : nextRound(required, { ...attribution, peer }, ended());
  };
}

function toInputRequired(answer: ServerResponse): JsonObject | undefined {
  const result = answer.kind === "result" ? answer.result : undefined;
  return isJsonObject(result) && result["resultType"] === "input_required" ? result : undefined;
}

interface Parties extends AttributionParts {
  readonly peer: CallerPeer | undefined;
}

async function nextRound(required: JsonObject, parties: Parties, ended: AbortSignal): Promise<JsonObject> {
  const { requestState } = required;
  const questions = toQuestions(required["inputRequests"], parties);
  const state = typeof requestState === "string" ? { requestState } : {};
  if (questions.length > 0) return { ...state, inputResponses: await askAll(questions, parties, ended) };
  if (typeof requestState !== "string")
    throw failure(parties.server, "asks for input, but its response contains no input request");
  await pause(ended);
  return state;
}

/** Checks all requests before the first one is sent, so that the user never answers a request that fails anyway. */
function toQuestions(requests: unknown, parties: Parties): Question[] {
  const { server, peer } = parties;
  const entries = isJsonObject(requests) ? Object.entries(requests) : [];
  if (entries.length > MAX_QUESTIONS || !isWithinDepth(requests, MAX_DEPTH)) {
    throw failure(server, "asks for too much input at once");
  }
  return entries.map(([key, request]) => {
    const { method, params = {} } = isJsonObject(request) ? request : {};
    if (typeof method !== "string" || !isServerRequest(method) || !isJsonObject(params)) {
      throw failure(server, "asks for input of an unknown kind");
    }
    const missing = missingCapability(method, params, peer?.capabilities ?? {});
    if (missing !== undefined) throw unsupportedInput(server, missing.needs);
    const attributed = attributeRequest(method, params, parties);
    if ("refused" in attributed)
      throw failure(server, `asks for input in an unusable way: ${lowerFirst(attributed.refused)}`);
    return { key, method, ...attributed };
  });
}

/** Sends all input requests to the caller's client at once. The first error cancels the others. */
async function askAll(questions: readonly Question[], parties: Parties, ended: AbortSignal): Promise<JsonObject> {
  const othersCancelled = new AbortController();
  const signal = AbortSignal.any([ended, othersCancelled.signal]);
  try {
    return Object.fromEntries(await Promise.all(questions.map((one) => askOne(one, parties, signal))));
  } finally {
    othersCancelled.abort();
  }
}

async function askOne(
  question: Question,
  { server, peer }: Parties,
  signal: AbortSignal,
): Promise<[string, JsonObject]> {
  const { key, method } = question;
  const answer = await peer?.request(question, signal);
  if (answer?.kind === "result") return [key, answer.result];
  const detail = cutAtWord(toOneLine(answer?.message ?? ""), 300).replace(/\.$/, "") || "no reason given";
  throw new DiscoveryError("TOOL_EXECUTION_ERROR", `The client rejected an input request from ${server}: ${detail}.`, {
    hint: "Check what the call has done before you repeat it.",
    facts: { method, ...(answer === undefined ? {} : { jsonRpcCode: answer.code }) },
    server,
    executed: "unknown",
  });
}

function unsupportedInput(server: string, needs: string): DiscoveryError {
  return new DiscoveryError(
    "TOOL_EXECUTION_ERROR",
    `${server} asks for input that the caller's client does not support.`,
    {
      hint: `Pass the input in the arguments, or use a client that supports ${needs}.`,
      facts: { resultType: "input_required", needs },
      server,
      executed: "unknown",
    },
  );
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}

function failure(server: string, what: string): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} ${what}.`, {
    hint: "The server has a defect. Check what the call has done before you repeat it.",
    facts: { resultType: "input_required" },
    server,
    executed: "unknown",
  });
}

function pause(ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, PAUSE_MS);
    function done(): void {
      clearTimeout(timer);
      ended.removeEventListener("abort", done);
      resolve();
    }
    ended.addEventListener("abort", done, { once: true });
  });
}
