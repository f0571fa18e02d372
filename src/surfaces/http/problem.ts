// Converts an error to an HTTP problem response (RFC 9457).
import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { ERRORS, type ErrorCode, toDiscoveryError } from "../../errors.js";
import { toErrorObject } from "../../metatools/to-error-object.js";
import type { JsonObject } from "../../model/json.js";
import type { Secrets } from "../../util/secrets.js";
import type { HttpAnswer } from "./answer.js";
import { describeRestStep } from "./next-steps.js";
import { RefusedRequest } from "./refusal.js";

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

/** The schema of problem responses for the OpenAPI document. Further members depend on `code`. */
export const problemSchema = z
  .looseObject({
    type: z.string().describe("`urn:anygpt:error:CODE`, or `about:blank` if the status is sufficient."),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("What happened, with the server or tool that it concerns."),
    code: z.enum(codes),
    hint: z.string().optional().describe("What to do next."),
    request_id: z.string().describe("The id of this request in the gateway's audit log and log."),
    retryable: z.boolean().describe("Whether the same request may succeed later."),
    executed: z.enum(["yes", "no", "unknown"]).describe("Whether the tool ran."),
    replayed: z
      .literal(true)
      .optional()
      .describe("This is the stored result of the first call with the same idempotency key."),
  })
  .meta({ description: "Why a request failed." });

export interface ProblemParts {
  readonly requestId: string;
  readonly secrets: Secrets;
  /** Additional members of the response body. */
  readonly otherMembers?: JsonObject;
}

export function toProblem(
  thrown: unknown,
  { requestId, secrets, otherMembers = {} }: ProblemParts,
): HttpAnswer & { readonly body: JsonObject } {
  const refusal = thrown instanceof RefusedRequest ? thrown.refusal : undefined;
  const error = toDiscoveryError(refusal?.error ?? thrown);
  const { code, message, hint, status: serverStatus, ...rest } = toErrorObject(error, describeRestStep, secrets).error;
  const status = refusal?.status ?? error.entry.http;
  // Each error code has one HTTP status. If the response has another one, `type` and `title` describe the status
  // instead of the code.
  const isByStatus = status !== error.entry.http;
  const body: JsonObject = {
    request_id: requestId,
    ...otherMembers,
    ...rest,
    ...(serverStatus === undefined ? {} : { server_status: serverStatus }),
    type: isByStatus ? "about:blank" : `urn:anygpt:error:${code}`,
    title: isByStatus ? STATUS_CODES[status] : error.entry.meaning,
    status,
    detail: message,
    code,
    ...(hint === undefined ? {} : { hint }),
  };
  const headers = { ...refusal?.headers, ...retryAfter(rest), ...replayed(body) };
  return { status, headers, contentType: "application/problem+json", body, closes: refusal?.closes === true };
}

/** Returns the header `Retry-After` in whole seconds, rounded up. */
function retryAfter({ retry_after_seconds: seconds, retryAfterMs: ms }: JsonObject): Readonly<Record<string, string>> {
  const wait = typeof seconds === "number" ? seconds : typeof ms === "number" ? ms / 1000 : undefined;
  return wait === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(wait))) };
}

export function replayed(answer: JsonObject): Readonly<Record<string, string>> {
  return answer["replayed"] === true ? { "idempotent-replayed": "true" } : {};
}
