// An error comes in; the answer that tells a program of it goes out (RFC 9457).
import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { ERRORS, type ErrorCode, toDiscoveryError } from "../../errors.js";
import { toErrorObject } from "../../metatools/to-error-object.js";
import type { JsonObject } from "../../model/json.js";
import type { Secrets } from "../../util/secrets.js";
import type { Answer } from "./answer.js";
import { RefusedRequest } from "./refusal.js";

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

/** For the description; what more there is depends on the code. */
export const problemSchema = z
  .looseObject({
    type: z.string().describe("`urn:anygpt:error:CODE`, or `about:blank` where the status says it all."),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("What happened, and to what."),
    code: z.enum(codes),
    hint: z.string().optional().describe("What to do next."),
    request_id: z.string().describe("Under which it is found in the record and the log."),
    retryable: z.boolean().describe("Whether the same request may succeed later."),
    executed: z.enum(["yes", "no", "unknown"]).describe("Whether the tool ran."),
    replayed: z.literal(true).optional().describe("It is what the first call with the same idempotency key led to."),
  })
  .meta({ description: "Why a request was not carried out." });

export interface ProblemParts {
  readonly requestId: string;
  readonly secrets: Secrets;
  /** Members that stand beside the error. */
  readonly beside?: JsonObject;
}

export function toProblem(
  thrown: unknown,
  { requestId, secrets, beside = {} }: ProblemParts,
): Answer & { readonly body: JsonObject } {
  const refusal = thrown instanceof RefusedRequest ? thrown.refusal : undefined;
  const error = toDiscoveryError(refusal?.error ?? thrown);
  const { code, message, hint, status: theirs, ...rest } = toErrorObject(error, secrets).error;
  const status = refusal?.status ?? error.entry.http;
  // The table knows one status for each code; where it is another one, that says what kind of problem it is.
  const isByStatus = status !== error.entry.http;
  const body: JsonObject = {
    request_id: requestId,
    ...beside,
    ...rest,
    ...(theirs === undefined ? {} : { server_status: theirs }),
    type: isByStatus ? "about:blank" : `urn:anygpt:error:${String(code)}`,
    title: isByStatus ? STATUS_CODES[status] : error.entry.meaning,
    status,
    detail: message,
    code,
    ...(typeof hint === "string" ? { hint: inWordsOfRest(hint) } : {}),
  };
  const headers = { ...refusal?.headers, ...retryAfter(rest), ...replayed(body) };
  return { status, headers, contentType: "application/problem+json", body, closes: refusal?.closes === true };
}

/** In whole seconds, and rather too late than too early. */
function retryAfter({ retry_after_seconds: seconds, retryAfterMs: ms }: JsonObject): Readonly<Record<string, string>> {
  const wait = typeof seconds === "number" ? seconds : typeof ms === "number" ? ms / 1000 : undefined;
  return wait === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(wait))) };
}

export function replayed(answer: JsonObject): Readonly<Record<string, string>> {
  return answer["replayed"] === true ? { "idempotent-replayed": "true" } : {};
}

const ROUTES: readonly (readonly [metaTool: string, route: string])[] = [
  ["list_mcp_servers", "GET /api/adapters"],
  ["search_tools", "GET /api/search"],
];

/** Hints and notes name the meta-tools, which are not here. */
export function inWordsOfRest(text: string): string {
  return ROUTES.reduce((told, [metaTool, route]) => told.replaceAll(metaTool, route), text);
}
